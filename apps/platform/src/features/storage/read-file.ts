import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import type { SignedLink } from "../../infra/storage/object-store.ts";
import { resolveRange } from "../../infra/storage/resolve-range.ts";
import { getFile } from "./repo.ts";
import type { FileAddress, FileReading, LinkRequest, StorageDeps } from "./service.ts";

export interface OpenedFile {
  readonly mediaType: string;
  /** Of the whole file, also when a range was asked for. */
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Read it to its end or destroy it. A whole file that is not what was written ends with `STORAGE_OBJECT_DAMAGED`. */
  readonly stream: Readable;
}

type ReadDeps = Pick<StorageDeps, "stores" | "logger"> & { readonly queries: Queries };

export async function openFile(deps: ReadDeps, address: FileAddress, reading: FileReading): Promise<OpenedFile> {
  const { file, object } = await getFile(deps.queries, address);
  const { mediaType, sizeBytes, content } = file;
  const facts = { mediaType, sizeBytes, sha256: file.sha256.toString("hex") };
  if (object === null) {
    const { start, end } = resolveRange(reading.range, sizeBytes);
    const bytes = (content ?? Buffer.alloc(0)).subarray(start, end);
    return { ...facts, stream: Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false }) };
  }
  const store = await deps.stores.get(object.store);
  const found = await store.get(object.key, reading);
  const onDamage = () => deps.logger.error({ objectId: object.id, key: object.key }, "a stored object is damaged");
  if (found.sizeBytes !== sizeBytes) {
    found.stream.destroy();
    onDamage();
    throw new AppError("STORAGE_OBJECT_DAMAGED", { detail: `It has ${found.sizeBytes} bytes, not ${sizeBytes}.` });
  }
  // A part cannot be judged by the checksum of the whole.
  const stream = reading.range === undefined ? judge(found.stream, { ...facts, onDamage }) : found.stream;
  return { ...facts, stream };
}

export async function findFileLink(
  deps: ReadDeps,
  address: FileAddress,
  { fileName, expiresInSeconds }: LinkRequest,
): Promise<SignedLink | undefined> {
  const { file, object } = await getFile(deps.queries, address);
  if (object === null) return undefined;
  const store = await deps.stores.get(object.store);
  const { mediaType } = file;
  return store.signGet(object.key, { expiresInSeconds, mediaType, ...(fileName !== undefined && { fileName }) });
}

interface Judgement {
  readonly sha256: string;
  readonly onDamage: () => void;
}

/** The same bytes, the last piece not before all of them proved right, so that nobody takes damaged ones for whole. */
function judge(source: Readable, { sha256, onDamage }: Judgement): Readable {
  const hash = createHash("sha256");
  async function* pieces() {
    let held: Buffer | undefined;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      if (held !== undefined) yield held;
      hash.update(chunk);
      held = chunk;
    }
    if (hash.digest("hex") !== sha256) {
      onDamage();
      throw new AppError("STORAGE_OBJECT_DAMAGED");
    }
    if (held !== undefined) yield held;
  }
  const stream = Readable.from(pieces(), { objectMode: false });
  stream.once("close", () => source.destroy());
  return stream;
}
