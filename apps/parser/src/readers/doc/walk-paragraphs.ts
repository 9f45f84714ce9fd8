import type { FormattingRuns } from "./formatting-pages.ts";
import type { Piece } from "./piece-table.ts";
import { cellMark, pageBreak, paragraphMark, type RawParagraph, type TextRun } from "./text-run.ts";

/** The text of a file with its formatting, before either is understood. */
export interface FormattedText {
  readonly main: Buffer;
  readonly pieces: readonly Piece[];
  readonly characters: FormattingRuns;
  readonly paragraphs: FormattingRuns;
}

/** Characters from `start` up to, and without, `end`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

const noChanges = Buffer.alloc(0);

/** The paragraphs of a range, piece by piece; what stands after the last mark is one too. */
export function* walkParagraphs(text: FormattedText, range: TextRange): Generator<RawParagraph, void, undefined> {
  let runs: TextRun[] = [];
  for (let index = firstPiece(text.pieces, range.start); index < text.pieces.length; index++) {
    const piece = text.pieces[index];
    if (piece === undefined || piece.start >= range.end) break;
    const stretch = stretchOf(piece, range);
    while (stretch.at < stretch.end) {
      const markAt = findMark(text, stretch);
      const isEnded = markAt < stretch.end;
      const end = isEnded ? markAt + stretch.bytesPerCharacter : stretch.end;
      pushRuns(runs, text, { ...stretch, end });
      stretch.at = end;
      if (!isEnded) continue;
      const formatting = text.paragraphs.find(markAt);
      yield { runs, mark: text.main[markAt] ?? 0, formatting, changes: piece.changes };
      runs = [];
    }
  }
  if (runs.length > 0) yield { runs, mark: 0, formatting: undefined, changes: noChanges };
}

function firstPiece(pieces: readonly Piece[], position: number): number {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pieces[middle]?.end ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Bytes of the main stream that belong to one piece. */
interface Stretch {
  readonly piece: Piece;
  readonly bytesPerCharacter: 1 | 2;
  at: number;
  readonly end: number;
}

function stretchOf(piece: Piece, range: TextRange): Stretch {
  const { offset, bytesPerCharacter } = piece;
  const toByte = (position: number): number => offset + (position - piece.start) * bytesPerCharacter;
  const at = toByte(Math.max(piece.start, range.start));
  return { piece, bytesPerCharacter, at, end: toByte(Math.min(piece.end, range.end)) };
}

function findMark({ main, paragraphs }: FormattedText, { at, end, bytesPerCharacter }: Stretch): number {
  for (let byte = at; byte < end; byte += bytesPerCharacter) {
    const code = main[byte];
    if (code !== paragraphMark && code !== cellMark && code !== pageBreak) continue;
    if (bytesPerCharacter === 2 && main[byte + 1] !== 0) continue;
    // A page break ends a paragraph only where its formatting ends too, as at the end of a section.
    if (code !== pageBreak || paragraphs.find(byte)?.end === byte + bytesPerCharacter) return byte;
  }
  return end;
}

function pushRuns(runs: TextRun[], { main, characters }: FormattedText, stretch: Stretch): void {
  const { piece, bytesPerCharacter } = stretch;
  let { at } = stretch;
  while (at < stretch.end) {
    const formatting = characters.find(at);
    const wanted = Math.min(stretch.end, formatting?.end ?? characters.nextStart(at));
    // Runs end between characters, and never where they begin.
    const characterCount = Math.max(1, Math.ceil((wanted - at) / bytesPerCharacter));
    const end = Math.min(stretch.end, at + characterCount * bytesPerCharacter);
    const start = piece.start + (at - piece.offset) / bytesPerCharacter;
    runs.push({ bytes: main.subarray(at, end), bytesPerCharacter, start, formatting, changes: piece.changes });
    at = end;
  }
}
