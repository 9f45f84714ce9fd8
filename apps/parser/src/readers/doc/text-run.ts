import type { FormattingRun } from "./formatting-pages.ts";
import type { Piece } from "./piece-table.ts";

/** Text with one formatting inside one paragraph, not decoded yet. */
export interface TextRun {
  readonly bytes: Buffer;
  readonly bytesPerCharacter: 1 | 2;
  /** Position of the first character. */
  readonly start: number;
  readonly formatting: FormattingRun | undefined;
  /** Changes that the piece makes. */
  readonly changes: Piece["changes"];
}

/** A paragraph as it lies in the file: its text, its mark included. */
export interface RawParagraph {
  readonly runs: readonly TextRun[];
  /** The character that ends it; 0 for text that nothing ends. */
  readonly mark: number;
  readonly formatting: FormattingRun | undefined;
  readonly changes: Piece["changes"];
}

export const paragraphMark = 0x0d;
export const cellMark = 0x07;
export const pageBreak = 0x0c;
