import { createHash } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ExpectedObject, ObjectBody, ObjectDigest } from "./object-store.ts";

/** Pieces in which bytes that lie in memory are hashed and written, so that no single step holds up the process. */
const pieceBytes = 2 ** 20;

export interface BodyReader {
  /** The body, pulled piece by piece; may be iterated once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /**
   * Once `chunks` has ended.
   * @throws AppError `STORAGE_CHECKSUM_MISMATCH` when they are not the bytes expected.
   */
  finish(): ObjectDigest;
}

/** Reads a body once, hashing and counting what passes; more bytes than expected end it at once. */
export function readBody(body: ObjectBody, expected: ExpectedObject = {}, signal?: AbortSignal): BodyReader {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  async function* count(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readUntil(toPieces(body), signal)) {
      if (chunk.byteLength === 0) continue;
      sizeBytes += chunk.byteLength;
      assertSize(sizeBytes, { ...expected, isComplete: false });
      hash.update(chunk);
      yield chunk;
    }
  }
  return {
    chunks: count(),
    finish: () => {
      assertSize(sizeBytes, { ...expected, isComplete: true });
      const sha256 = hash.digest("hex");
      if (expected.sha256 !== undefined && expected.sha256 !== sha256) {
        const detail = `Their SHA-256 is ${sha256}, not ${expected.sha256}.`;
        throw new AppError("STORAGE_CHECKSUM_MISMATCH", { detail });
      }
      return { sizeBytes, sha256 };
    },
  };
}

interface SizeExpectation {
  readonly sizeBytes?: number;
  readonly isComplete: boolean;
}

function assertSize(actualBytes: number, { sizeBytes, isComplete }: SizeExpectation): void {
  if (sizeBytes === undefined || actualBytes === sizeBytes || (!isComplete && actualBytes < sizeBytes)) return;
  const came = isComplete ? `${actualBytes} bytes` : "More";
  throw new AppError("STORAGE_CHECKSUM_MISMATCH", { detail: `${came} came, not ${sizeBytes}.` });
}

function toPieces(body: ObjectBody): AsyncIterable<Uint8Array> {
  return body instanceof Uint8Array ? cutBytes(body) : body;
}

async function* cutBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes);
}

/** The same pieces, until `signal` aborts: then it ends with the signal's reason, even while the next piece never comes. */
export async function* readUntil(body: AsyncIterable<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  if (signal === undefined) {
    yield* body;
    return;
  }
  const iterator = body[Symbol.asyncIterator]();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {});
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  let isEnded = false;
  try {
    while (!isEnded) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done === true) isEnded = true;
      else yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Not awaited: a generator that waits for its next piece would not answer before that came.
    if (!isEnded) void iterator.return?.().catch(() => {});
  }
}
