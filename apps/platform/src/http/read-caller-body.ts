import type { Readable } from "node:stream";
import { AppError } from "@attune/service-kit/app-error.ts";

/** As long as clients wait for an answer at most. */
const defaultStallMs = 120_000;

/**
 * The bytes of a request as they come. @throws AppError `CALLER_GONE` when the connection breaks before the last one, or brings
 * none for `stallMs` while they are waited for: without it, its error would pass for one of a connection of ours.
 */
export async function* readCallerBody(
  body: Readable | undefined,
  stallMs = defaultStallMs,
): AsyncGenerator<Uint8Array> {
  if (body === undefined) return;
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done = false, value } = await nextOf(chunks, body, stallMs);
      if (done) return;
      yield value as Uint8Array;
    }
  } finally {
    await chunks.return?.();
  }
}

async function nextOf(
  chunks: AsyncIterator<Uint8Array>,
  body: Readable,
  stallMs: number,
): Promise<IteratorResult<Uint8Array>> {
  const stalled = new Error(`No byte has come for ${stallMs / 1000} s.`);
  const timer = setTimeout(() => body.destroy(stalled), stallMs);
  try {
    return await chunks.next();
  } catch (error) {
    throw new AppError("CALLER_GONE", error === stalled ? { detail: stalled.message } : {}, error);
  } finally {
    clearTimeout(timer);
  }
}
