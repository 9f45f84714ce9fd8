import { i16 } from "./bytes.ts";

/** A group of changes that lies in the data stream, after its size ([MS-DOC] 2.9.196). */
export function dataGroup(data: Buffer, offset: number): Buffer | undefined {
  if (offset + 2 > data.length) return undefined;
  return data.subarray(offset + 2, offset + 2 + Math.max(0, i16(data, offset)));
}
