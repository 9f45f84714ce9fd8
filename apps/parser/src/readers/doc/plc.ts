import { u32 } from "./bytes.ts";

/** Positions with data of fixed size between them: a PLC ([MS-DOC] 2.2.2). */
export interface Plc {
  readonly count: number;
  /** Position `index`; there is one more of them than data. */
  position(index: number): number;
  data(index: number): Buffer;
}

export function readPlc(bytes: Buffer, dataBytes: number): Plc {
  const count = Math.max(0, Math.floor((bytes.length - 4) / (4 + dataBytes)));
  const dataAt = 4 * (count + 1);
  return {
    count,
    position: (index) => u32(bytes, 4 * index),
    data: (index) => bytes.subarray(dataAt + dataBytes * index, dataAt + dataBytes * (index + 1)),
  };
}
