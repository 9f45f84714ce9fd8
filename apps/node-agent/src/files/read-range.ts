import type { FileHandle } from "node:fs/promises";

export interface Range {
  readonly offset: number;
  readonly length: number;
}

/** The bytes of a range, fewer when the file ends before. */
export async function readRange(handle: FileHandle, { offset, length }: Range): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
