import type { StoredBytes } from "../engines/engine.ts";

/** Bytes that lie in memory already, as they are: in one piece, or part by part without a copy. */
export function storedInMemory(bytes: Uint8Array): StoredBytes {
  return {
    sizeBytes: bytes.length,
    readChunks: async function* () {
      if (bytes.length > 0) yield await Promise.resolve(bytes);
    },
    openForAccess: () =>
      Promise.resolve({
        readAt: (offset, length) => bytes.subarray(offset, offset + length),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  };
}
