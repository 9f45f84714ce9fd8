import type { TableRow } from "../../../document/document.ts";
import type { Box } from "../page-content.ts";
import type { ReadTable } from "./read-table.ts";
import type { TableFrame } from "./table-frame.ts";
import type { Piece, PlacedRow } from "./table-rows.ts";

/** Between bare lines, scattered labels of a figure are no table: what share of the cells hold text. */
const minFill = 0.35;

/** Whether what was read between ruling lines is a table rather than labels around a figure. */
export function isRuledTable(table: ReadTable, frame: TableFrame): boolean {
  const isMarked = frame.uprights.length > 1 || frame.hasCaption;
  if (table.rows.length < (isMarked ? 2 : 3)) return false;
  if (!isMarked && spanningShare(table) > maxSpanning) return false;
  if (isChart(table)) return false;
  return frame.hasCaption ? fillOf(table) > 0.15 : fillOf(table) >= minFill;
}

/** Whether what was read from columns of white alone is a table. Without a caption only clear cases of numbers are. */
export function isOpenTable(table: ReadTable, frame: TableFrame, pictures: readonly Box[]): boolean {
  const { rows, columnCount, placed } = table;
  const pieces = placed.flatMap((row) => row.pieces);
  if (rows.length < 3 || isContents(placed, columnCount) || isCode(pieces)) return false;
  if (spanningShare(table) > maxSpanning) return false;
  const alignment = alignmentOf(placed, columnCount);
  if (frame.hasCaption) return fillOf(table) >= 0.4 && alignment >= 0.6;
  if (pictures.some((picture) => overlaps(picture, frame))) return false;
  return columnCount > 2 && fillOf(table) >= 0.65 && alignment >= 0.75 && isOfNumbers(pieces);
}

function isOfNumbers(pieces: readonly Piece[]): boolean {
  return wordsOf(pieces) / pieces.length <= 4 && numericShare(pieces) >= 0.5;
}

/** Cells below the headings that run over columns: in a table they are few, in text between lines many. */
const maxSpanning = 0.3;

function spanningShare({ rows, headerRowCount }: ReadTable): number {
  const cells = rows
    .slice(headerRowCount)
    .filter((row) => row.length > 1)
    .flat();
  const spanning = cells.filter((cell) => typeof cell !== "string" && (cell.columnSpan ?? 1) > 1);
  return cells.length === 0 ? 1 : spanning.length / cells.length;
}

const maxPlainColumns = 12;

/** Whether a grid has many columns with little in them and without headings. */
export function isChart({ rows, headerRowCount, columnCount }: ReadTable): boolean {
  const share = (some: readonly TableRow[]): number => fillOf({ rows: some, columnCount });
  return columnCount > maxPlainColumns && share(rows) < minFill && share(rows.slice(0, headerRowCount)) < 0.5;
}

function fillOf({ rows, columnCount }: Pick<ReadTable, "rows" | "columnCount">): number {
  let filled = 0;
  for (const row of rows) {
    for (const cell of row) {
      if (typeof cell === "string") filled += cell === "" ? 0 : 1;
      else if (cell.blocks.length > 0) filled += (cell.columnSpan ?? 1) * (cell.rowSpan ?? 1);
    }
  }
  return filled / (rows.length * columnCount);
}

function wordsOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { words }) => sum + words.length, 0);
}

// Of the cells right of the first column.
function numericShare(pieces: readonly Piece[]): number {
  const cells = pieces.filter(({ first }) => first > 0);
  const numeric = cells.filter(({ words }) => isNumeric(words.map(({ text }) => text).join("")));
  return cells.length === 0 ? 0 : numeric.length / cells.length;
}

function isNumeric(text: string): boolean {
  const digits = text.replace(/\D/g, "").length;
  const letters = text.replace(/[^\p{L}]/gu, "").length;
  return digits > 0 && letters <= digits;
}

// Lines of dots, or numbers of pages that only grow, at the end of the rows.
function isContents(rows: readonly PlacedRow[], columnCount: number): boolean {
  const texts = rows.flatMap(({ pieces }) => pieces.map(({ words }) => words.map(({ text }) => text).join(" ")));
  if (texts.filter((text) => /\.{4}|(?:\. ){3}|…{2}/.test(text)).length >= Math.max(2, rows.length * 0.3)) return true;
  const last = rows.flatMap(({ pieces }) => {
    const piece = pieces.at(-1);
    return piece?.last === columnCount - 1 ? [piece.words.map(({ text }) => text).join("")] : [];
  });
  if (last.length < 3 || !last.every((text) => /^\d{1,4}$/.test(text))) return false;
  const values = last.map(Number);
  return values.every((value, index) => index === 0 || value >= (values[index - 1] as number)) && columnCount <= 3;
}

function isCode(pieces: readonly Piece[]): boolean {
  const words = pieces.flatMap((piece) => piece.words);
  return words.filter(({ style }) => style.isMonospaced).length > words.length * 0.6;
}

/** Sides of cells in one column differ no more than this, in points. */
const sideSlack = 2;

// Share of cells that stand in line with the others of their column: at the left, at the right or in the middle.
function alignmentOf(rows: readonly PlacedRow[], columnCount: number): number {
  let aligned = 0;
  let all = 0;
  for (let column = 0; column < columnCount; column++) {
    const pieces = rows.flatMap((row) => row.pieces.filter(({ first, last }) => first === column && last === column));
    all += pieces.length;
    aligned += Math.max(
      commonest(pieces.map(({ left }) => left)),
      commonest(pieces.map(({ right }) => right)),
      commonest(pieces.map(({ left, right }) => (left + right) / 2)),
    );
  }
  return all === 0 ? 0 : aligned / all;
}

// How many of the values lie within the slack of one of them.
function commonest(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  let best = 0;
  let from = 0;
  for (const [to, value] of sorted.entries()) {
    while (value - (sorted[from] as number) > sideSlack) from++;
    best = Math.max(best, to - from + 1);
  }
  return best;
}

function overlaps(a: Box, b: Box): boolean {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 && width * height > (b.right - b.left) * (b.bottom - b.top) * 0.3;
}
