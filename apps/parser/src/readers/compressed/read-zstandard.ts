import { zstdDecompressSync } from "node:zlib";
import type { ReadDocument } from "../reader.ts";
import { ByteSink } from "./byte-sink.ts";
import { damaged, expandsTooFar, readExpanded } from "./read-expanded.ts";

/** The file that a Zstandard file (RFC 8878) holds, of one frame or many. */
export const readZstandard: ReadDocument = (input, context) => {
  const sink = new ByteSink(context.budget.entryAllowanceBytes);
  let rest = input.bytes;
  while (rest.length > 0) {
    const { bytes, frameBytes } = expandFrame(rest, sink.roomBytes);
    sink.write(bytes);
    rest = rest.subarray(frameBytes);
  }
  return readExpanded(sink.take(), input.fileName, context);
};

// The library expands one frame and says where it ended.
function expandFrame(
  bytes: Uint8Array,
  maxOutputLength: number,
): { readonly bytes: Uint8Array; readonly frameBytes: number } {
  try {
    const { buffer, engine } = zstdDecompressSync(bytes, {
      maxOutputLength: maxOutputLength + 1,
      info: true,
    }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    if (engine.bytesWritten <= 0) throw new Error("an empty frame");
    return { bytes: buffer, frameBytes: engine.bytesWritten };
  } catch (error) {
    throw error instanceof RangeError ? expandsTooFar() : damaged("Zstandard", error);
  }
}
