import type { Block, Table, TableCell } from "../document/document.ts";

/** A cell whose spans are not all known yet. */
export interface SpannedCell {
  readonly blocks: readonly Block[];
  columnSpan: number;
  rowSpan: number;
}

/** A table of Word from its rows. A table of one cell is a frame around its content, which is returned instead. */
export function wordTable(rows: readonly (readonly SpannedCell[])[], headerRowCount: number): Block[] {
  if (rows.length === 0) return [];
  return contentOfFrame(rows) ?? [toTable(rows, reachOfHeader(rows, headerRowCount))];
}

// Cells of the header that span further rows make those headers too, unless nothing would be left of the body.
function reachOfHeader(rows: readonly (readonly SpannedCell[])[], headerRowCount: number): number {
  let reach = headerRowCount;
  for (let row = 0; row < reach; row++)
    for (const { rowSpan } of rows[row] ?? []) reach = Math.max(reach, row + rowSpan);
  return reach < rows.length ? reach : headerRowCount;
}

function contentOfFrame(rows: readonly (readonly SpannedCell[])[]): Block[] | undefined {
  const [row] = rows;
  const [cell] = row ?? [];
  return rows.length === 1 && row?.length === 1 && cell !== undefined ? [...cell.blocks] : undefined;
}

function toTable(rows: readonly (readonly SpannedCell[])[], headerRowCount: number): Table {
  return { type: "table", rows: rows.map((cells) => cells.map(toCell)), headerRowCount };
}

function toCell({ blocks, columnSpan, rowSpan }: SpannedCell): TableCell {
  const [only] = blocks;
  const isPlain = columnSpan === 1 && rowSpan === 1;
  if (isPlain && only === undefined) return "";
  if (isPlain && blocks.length === 1 && only?.type === "paragraph" && only.inlines.length === 1) {
    const [text] = only.inlines;
    if (typeof text === "string") return text;
  }
  return { blocks, ...(columnSpan > 1 && { columnSpan }), ...(rowSpan > 1 && { rowSpan }) };
}
