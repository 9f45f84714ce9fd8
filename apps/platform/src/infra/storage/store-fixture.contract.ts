import { createHash } from "node:crypto";
import { AppError, type Reason } from "@attune/service-kit/app-error.ts";
import type { ByteRange, ObjectReading, ObjectStore } from "./object-store.ts";

export interface StoreFixture extends AsyncDisposable {
  readonly store: ObjectStore;
  /** How many files, staged objects and begun uploads there are besides objects. */
  countLeftovers(): Promise<number>;
  /** Bytes of bodies that have left the caller and arrived in the store so far; absent where that cannot be told. */
  readonly countArrivedBytes?: () => Promise<number>;
  /** Most bytes that may lie between the caller and the store. */
  readonly inFlightBytes?: number;
}

/** The store under test; call it inside a test. */
export type UseFixture = () => StoreFixture;

export const readObject = async (store: ObjectStore, key: string, range?: ByteRange): Promise<Buffer> =>
  readAll(await store.get(key, range === undefined ? {} : { range }));

export async function assertNothingLeft(fixture: StoreFixture, key: string): Promise<void> {
  const state = { isThere: await fixture.store.exists(key), leftovers: await fixture.countLeftovers() };
  if (state.isThere || state.leftovers > 0) throw new Error(`left behind: ${JSON.stringify({ key, ...state })}`);
}

export async function reasonOf(work: () => Promise<unknown>): Promise<Reason | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.reason;
    throw error;
  }
}

export const digestOf = (bytes: Uint8Array) => ({
  sizeBytes: bytes.byteLength,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

export async function* toStream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

export const readAll = ({ stream }: ObjectReading): Promise<Buffer> => bytesOf(stream);

export async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export async function collect<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}
