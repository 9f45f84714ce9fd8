import type { FileHandle } from "node:fs/promises";
import { readRange } from "./read-range.ts";

interface TailLimits {
  readonly lines: number;
  readonly maxBytes: number;
}

interface Tail {
  readonly offset: number;
  readonly length: number;
  /** Whether the lines that were asked for have more bytes than may be read. */
  readonly isTruncated: boolean;
}

const blockBytes = 64 * 1024;
const lineFeed = 0x0a;

/** Where the last lines of a file begin, read from its end. A line feed at the very end ends the last line. */
export async function findTail(handle: FileHandle, size: number, { lines, maxBytes }: TailLimits): Promise<Tail> {
  const earliest = Math.max(0, size - maxBytes);
  let missing = lines;
  for (let end = size; end > earliest;) {
    const start = Math.max(earliest, end - blockBytes);
    const block = await readRange(handle, { offset: start, length: end - start });
    for (let at = block.length - 1; at >= 0; at--) {
      const isLineEnd = block[at] === lineFeed && start + at < size - 1;
      if (isLineEnd && --missing === 0) return toTail(start + at + 1, size, false);
    }
    end = start;
  }
  if (earliest === 0) return toTail(0, size, false);
  return toTail(await skipCutCharacter(handle, earliest), size, true);
}

const toTail = (offset: number, size: number, isTruncated: boolean): Tail => ({
  offset,
  length: size - offset,
  isTruncated,
});

// The bytes 10xxxxxx go on with a character of UTF-8 that began before.
async function skipCutCharacter(handle: FileHandle, offset: number): Promise<number> {
  const bytes = await readRange(handle, { offset, length: 3 });
  const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return offset + (first === -1 ? bytes.length : first);
}
