import type { TableCell, TableRow } from "../../../document/document.ts";
import { cellBlocks } from "./cell-blocks.ts";
import { plainText } from "./compose-inlines.ts";
import { toLine } from "./line.ts";
import type { GroupedRows, RowGroup, Straddler } from "./table-groups.ts";
import type { Piece } from "./table-rows.ts";
import type { Word } from "./word.ts";

/** A cell at its place in the table, its words line by line. */
export interface PlacedCell {
  readonly row: number;
  readonly rowSpan: number;
  readonly column: number;
  readonly columnSpan: number;
  readonly lines: readonly (readonly Word[])[];
}

interface Block {
  first: number;
  last: number;
  readonly lines: Word[][];
}

/** The cells of grouped rows; `row` is that of the first group. */
export function cellsOf({ groups, straddlers }: GroupedRows, row: number, columnCount: number): PlacedCell[] {
  const taken = groups.map((group) => blocksOf(group, columnCount));
  const cells = straddlers.flatMap((straddler) => placeStraddler(straddler, taken) ?? []);
  for (const [index, blocks] of taken.entries()) {
    const own = blocks.filter(({ lines }) => lines.length > 0);
    for (const { first, last, lines } of own)
      cells.push({ row: index, rowSpan: 1, column: first, columnSpan: last - first + 1, lines });
  }
  return cells.map((cell) => ({ ...cell, row: row + cell.row }));
}

// Between two rows with room for it, a cell spans both, and as many more on either side; otherwise it belongs to one.
function placeStraddler({ piece: { first, last, words }, above }: Straddler, taken: Block[][]): PlacedCell | undefined {
  const isFree = (at: number): boolean =>
    taken[at]?.every((block) => block.last < first || block.first > last) === true;
  let [from, to] = [above, above + 1];
  if (!isFree(from) || !isFree(to)) {
    addPiece(taken[isFree(to) ? to : from] as Block[], { first, last, words });
    return undefined;
  }
  while (isFree(from - 1) && isFree(to + 1)) [from, to] = [from - 1, to + 1];
  for (let at = from; at <= to; at++) taken[at]?.push({ first, last, lines: [] });
  return { row: from, rowSpan: to - from + 1, column: first, columnSpan: last - first + 1, lines: [words] };
}

// Pieces of one drawn row are joined to those above them that cover any of the same columns.
function blocksOf(group: RowGroup, columnCount: number): Block[] {
  const blocks: Block[] = [];
  for (const { pieces } of group) for (const piece of pieces) addPiece(blocks, piece);
  const [only] = blocks;
  // A heading within the table that runs over columns stands for the whole row.
  if (blocks.length === 1 && only !== undefined && only.first === 0 && only.last > 0) only.last = columnCount - 1;
  return blocks;
}

function addPiece(blocks: Block[], { first, last, words }: Pick<Piece, "first" | "last" | "words">): void {
  const above = blocks.filter((block) => block.first <= last && block.last >= first);
  const [target] = above;
  if (target === undefined) {
    blocks.push({ first, last, lines: [[...words]] });
    return;
  }
  for (const other of above.slice(1)) {
    target.lines.push(...other.lines);
    target.first = Math.min(target.first, other.first);
    target.last = Math.max(target.last, other.last);
    blocks.splice(blocks.indexOf(other), 1);
  }
  target.first = Math.min(target.first, first);
  target.last = Math.max(target.last, last);
  target.lines.push([...words]);
}

export interface TableShape {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly vocabulary: ReadonlySet<string>;
}

/** Rows of the document model; every place is covered by exactly one cell. */
export function toTableRows(
  cells: readonly PlacedCell[],
  { rowCount, columnCount, vocabulary }: TableShape,
): TableRow[] {
  const starts = new Map<number, PlacedCell>();
  const covered = new Uint8Array(rowCount * columnCount);
  for (const cell of cells) {
    starts.set(cell.row * columnCount + cell.column, cell);
    for (let y = cell.row; y < Math.min(rowCount, cell.row + cell.rowSpan); y++)
      covered.fill(
        1,
        y * columnCount + cell.column,
        y * columnCount + Math.min(columnCount, cell.column + cell.columnSpan),
      );
  }
  return Array.from({ length: rowCount }, (_, row) => {
    const made: TableCell[] = [];
    for (let column = 0; column < columnCount; column++) {
      const cell = starts.get(row * columnCount + column);
      if (cell !== undefined) made.push(toCell(cell, vocabulary));
      else if (covered[row * columnCount + column] === 0) made.push("");
    }
    return made;
  });
}

function toCell({ lines, rowSpan, columnSpan }: PlacedCell, vocabulary: ReadonlySet<string>): TableCell {
  const blocks = cellBlocks(
    lines.map((words) => toLine(words)),
    vocabulary,
  );
  const [only] = blocks;
  const isSingle = columnSpan === 1 && rowSpan === 1;
  if (isSingle && blocks.length === 0) return "";
  if (isSingle && blocks.length === 1 && only?.type === "paragraph") {
    if (only.inlines.every((inline) => typeof inline === "string")) return plainText(only.inlines);
  }
  return { blocks, ...(columnSpan > 1 && { columnSpan }), ...(rowSpan > 1 && { rowSpan }) };
}
