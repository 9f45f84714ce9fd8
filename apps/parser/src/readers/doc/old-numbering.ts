import { u16, u8 } from "./bytes.ts";
import { numberFormatOf } from "./number-format-codes.ts";

/** Numbering as Word 6 had it, in the paragraph itself: an ANLD ([MS-DOC] 2.9.2). */
export interface OldNumbering {
  /** As `w:numFmt` names it. */
  readonly format: string;
  readonly start: number;
}

const bulletCode = 0xff;

export function readOldNumbering(bytes: Buffer, at: number): OldNumbering {
  const code = u8(bytes, at);
  const hasText = u8(bytes, at + 1) + u8(bytes, at + 2) > 0;
  const format = code === bulletCode ? (hasText ? "bullet" : "none") : numberFormatOf(code);
  return { format, start: u16(bytes, at + 10) };
}
