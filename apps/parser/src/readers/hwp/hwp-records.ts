import { AppError } from "@attune/service-kit/app-error.ts";

/** A record of a stream of version 5 with the records that belong to it (HWP 5.0, 4.1). */
export interface HwpRecord {
  readonly tag: number;
  readonly body: Buffer;
  readonly children: HwpRecord[];
}

const begin = 0x10;

/** Tags of records (HWP 5.0, 4.2 and 4.3). */
export const hwpTag = {
  binaryItem: begin + 2,
  characterShape: begin + 5,
  paragraphShape: begin + 9,
  style: begin + 10,
  distribution: begin + 12,
  paragraph: begin + 50,
  text: begin + 51,
  characterShapes: begin + 52,
  control: begin + 55,
  list: begin + 56,
  table: begin + 61,
  picture: begin + 69,
  equation: begin + 72,
} as const;

/** A size that does not fit into 12 bits follows in a number of its own. */
const longSize = 0xfff;
const maxRecords = 5_000_000;

/** The records of a stream; each belongs to the last one before it that stands higher. What is cut short is left out. */
export function readHwpRecords(stream: Buffer, maxDepth: number): HwpRecord[] {
  const roots: HwpRecord[] = [];
  const open: HwpRecord[] = [];
  let count = 0;
  for (let at = 0; at + 4 <= stream.length;) {
    const header = stream.readUInt32LE(at);
    const isLong = header >>> 20 === longSize && at + 8 <= stream.length;
    const size = isLong ? stream.readUInt32LE(at + 4) : header >>> 20;
    const bodyAt = at + (isLong ? 8 : 4);
    const level = (header >>> 10) & 0x3ff;
    if (level > maxDepth || ++count > maxRecords)
      throw new AppError("LIMIT_EXCEEDED", { detail: "Its records are too many, or nest too deeply." });
    at = Math.min(stream.length, bodyAt + size);
    const record: HwpRecord = { tag: header & 0x3ff, body: stream.subarray(bodyAt, at), children: [] };
    open.length = Math.min(open.length, level);
    (open.at(-1)?.children ?? roots).push(record);
    open.push(record);
  }
  return roots;
}
