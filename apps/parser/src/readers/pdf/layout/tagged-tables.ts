import type { TableRow } from "../../../document/document.ts";
import type { Box, TaggedCell } from "../page-content.ts";
import { type Line, toLine } from "./line.ts";
import { type PlacedCell, toTableRows } from "./table-cells.ts";
import { countHeaderRows } from "./read-lattice.ts";
import { isTableCaption } from "./table-caption-line.ts";
import { findRows } from "./text-block.ts";
import type { Word } from "./word.ts";

/** A table as the structure tree of the file has it. */
export interface TaggedTable {
  readonly lines: readonly Line[];
  readonly rows: readonly TableRow[];
  readonly headerRowCount: number;
}

/** More cells than any page shows. */
const maxCells = 20_000;
/** Boxes of neighbouring cells may overlap by this, in points. */
const slack = 3;

/** The tables that the file tags on a page, as far as what they say agrees with where their text stands. */
export function readTaggedTables(lines: readonly Line[], vocabulary: ReadonlySet<string>): TaggedTable[] {
  return [...groupByTable(lines).values()].flatMap((group) => toTable(group, vocabulary) ?? []);
}

interface TaggedText {
  readonly lines: Line[];
  /** The pieces of lines that stand in each cell. */
  readonly cells: Map<TaggedCell, Line[]>;
  /** No line has words beside those of the table. */
  isPure: boolean;
}

function groupByTable(lines: readonly Line[]): Map<object, TaggedText> {
  const tables = new Map<object, TaggedText>();
  for (const line of lines) {
    const table = line.words.find(({ style }) => style.tag?.cell !== undefined)?.style.tag?.cell?.table;
    if (table === undefined) continue;
    const known = tables.get(table) ?? { lines: [], cells: new Map<TaggedCell, Line[]>(), isPure: true };
    tables.set(table, known);
    known.lines.push(line);
    for (const [cell, words] of partByCell(line.words)) {
      if (cell?.table !== table) known.isPure = false;
      else known.cells.set(cell, [...(known.cells.get(cell) ?? []), toLine(words)]);
    }
  }
  return tables;
}

function partByCell(words: readonly Word[]): Map<TaggedCell | undefined, Word[]> {
  const parts = new Map<TaggedCell | undefined, Word[]>();
  for (const word of words) {
    const { cell } = word.style.tag ?? {};
    const part = parts.get(cell);
    if (part === undefined) parts.set(cell, [word]);
    else part.push(word);
  }
  return parts;
}

function toTable({ lines, cells, isPure }: TaggedText, vocabulary: ReadonlySet<string>): TaggedTable | undefined {
  if (!isPure) return undefined;
  const placed = withoutText([...cells].map(([cell, pieces]) => toTaggedPlace(cell, pieces)));
  const firstRow = Math.min(...placed.map(({ row }) => row));
  const rowCount = Math.max(...placed.map(({ row, rowSpan }) => row + rowSpan)) - firstRow;
  const columnCount = Math.max(...placed.map(({ column, columnSpan }) => column + columnSpan));
  if (!(rowCount > 1 && columnCount > 1) || rowCount * columnCount > maxCells || !agrees(placed)) return undefined;
  const own = placed.map((cell) => ({ ...cell, row: cell.row - firstRow }));
  const kept = new Set<TaggedCell | undefined>(own.map(({ cell }) => cell));
  return {
    lines: lines.filter(({ words }) => kept.has(words[0]?.style.tag?.cell)),
    rows: toTableRows(own, { rowCount, columnCount, vocabulary }),
    headerRowCount: Math.max(countHeaders(own, rowCount), countHeaderRows(own, { rowCount, columnCount })),
  };
}

interface TaggedPlace extends PlacedCell, Box {
  readonly cell: TaggedCell;
}

function toTaggedPlace(cell: TaggedCell, pieces: readonly Line[]): TaggedPlace {
  const { row, column, rowSpan, columnSpan } = cell;
  const lines = findRows(pieces).map((pieceRow) => pieceRow.flatMap(({ words }) => words));
  return { cell, row, column, rowSpan, columnSpan, lines, ...boxOf(pieces) };
}

/** A row of one cell below the others is a note when it has this many letters. */
const minNote = 30;

// Some files have the caption in the first row of a table, and notes in the last ones.
function withoutText(cells: readonly TaggedPlace[]): TaggedPlace[] {
  const width = Math.max(...cells.map(({ column, columnSpan }) => column + columnSpan));
  const rows = [...new Set(cells.map(({ row }) => row))].sort((a, b) => a - b);
  const textOf = (row: number | undefined): string => {
    const [only, ...others] = cells.filter((cell) => cell.row === row);
    const isWhole = only !== undefined && others.length === 0 && only.columnSpan === width && width > 1;
    return isWhole ? only.lines.flatMap((words) => words.map(({ text }) => text)).join(" ") : "";
  };
  while (rows.length > 2 && textOf(rows.at(-1)).length >= minNote) rows.pop();
  if (rows.length > 2 && isTableCaption(textOf(rows[0]))) rows.shift();
  const [first = 0, last = 0] = [rows[0], rows.at(-1)];
  return cells.filter(({ row }) => row >= first && row <= last);
}

/** The box around lines. */
export function boxOf(lines: readonly Line[]): Box {
  return {
    left: Math.min(...lines.map(({ left }) => left)),
    right: Math.max(...lines.map(({ right }) => right)),
    top: Math.min(...lines.map(({ top }) => top)),
    bottom: Math.max(...lines.map(({ bottom }) => bottom)),
  };
}

// Cells of one row stand beside one another from left to right, those of one column below one another.
function agrees(cells: readonly TaggedPlace[]): boolean {
  const byRow = cells.toSorted((a, b) => a.row - b.row || a.column - b.column);
  const byColumn = cells.toSorted((a, b) => a.column - b.column || a.row - b.row);
  return (
    byRow.every((cell, index) => {
      const before = byRow[index - 1];
      return before === undefined || before.row !== cell.row || cell.left > before.right - slack;
    }) &&
    byColumn.every((cell, index) => {
      const above = byColumn[index - 1];
      return above === undefined || above.column !== cell.column || cell.top > above.bottom - slack;
    })
  );
}

function countHeaders(cells: readonly TaggedPlace[], rowCount: number): number {
  let count = 0;
  while (count < rowCount - 1 && isHeaderRow(cells, count)) count++;
  return Math.max(1, count);
}

function isHeaderRow(cells: readonly TaggedPlace[], row: number): boolean {
  const own = cells.filter((cell) => cell.row === row);
  return own.length > 0 && own.every(({ cell }) => cell.isHeader);
}
