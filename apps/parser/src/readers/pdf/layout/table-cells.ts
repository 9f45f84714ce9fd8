import type { RichCell, TableCell, TableRow } from "../../../document/document.ts";
import { composeInlines, plainText } from "./compose-inlines.ts";
import { type Line, toLine } from "./line.ts";
import { columnsOf } from "./table-columns.ts";
import type { VisualRow } from "./table-rows.ts";
import type { Word } from "./word.ts";

interface Piece {
  readonly first: number;
  last: number;
  readonly lines: Word[][];
}

/** The cells of one row of a table; a cell may span columns, and every column is covered by exactly one cell. */
export function toTableRow(
  rows: readonly VisualRow[],
  edges: readonly number[],
  vocabulary: ReadonlySet<string>,
): TableRow {
  const pieces: Piece[] = [];
  for (const row of rows) addPieces(pieces, row, edges);
  const cells: TableCell[] = [];
  let column = 0;
  for (const piece of pieces.sort((a, b) => a.first - b.first)) {
    for (; column < piece.first; column++) cells.push("");
    cells.push(toCell(piece, column, vocabulary));
    column = Math.max(column, piece.last) + 1;
  }
  for (; column <= edges.length; column++) cells.push("");
  return cells;
}

// Pieces of one drawn row are joined to those above them that cover any of the same columns.
function addPieces(pieces: Piece[], row: VisualRow, edges: readonly number[]): void {
  const own: Piece[] = [];
  for (const chunk of row.chunks) {
    const { first, last } = columnsOf(chunk, edges, row.size * 0.3);
    const same = own.find((piece) => piece.first <= last && piece.last >= first);
    if (same === undefined) own.push({ first, last, lines: [[...chunk.words]] });
    else {
      same.lines[0]?.push(...chunk.words);
      same.last = Math.max(same.last, last);
    }
  }
  for (const piece of own) {
    const above = pieces.find((other) => other.first <= piece.last && other.last >= piece.first);
    if (above === undefined) pieces.push(piece);
    else {
      above.lines.push(...piece.lines);
      above.last = Math.max(above.last, piece.last);
    }
  }
}

function toCell(piece: Piece, column: number, vocabulary: ReadonlySet<string>): TableCell {
  const lines: Line[] = piece.lines.map((words) => toLine(words));
  const inlines = composeInlines(lines, { vocabulary, isPlain: true });
  const columnSpan = Math.max(1, piece.last - column + 1);
  if (columnSpan === 1 && inlines.every((inline) => typeof inline === "string")) return plainText(inlines);
  const cell: RichCell = { blocks: [{ type: "paragraph", inlines }] };
  return columnSpan > 1 ? { ...cell, columnSpan } : cell;
}
