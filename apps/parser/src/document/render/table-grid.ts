import type { Table, TableCell, TableRow } from "../document.ts";

// HTML's own bound on columnspan.
const maxColumnSpan = 1000;

/** The columns and rows that a cell covers, within what HTML allows and the table has. */
export function spanOf(cell: TableCell, rowsLeft: number): { readonly rows: number; readonly columns: number } {
  if (typeof cell === "string") return { rows: 1, columns: 1 };
  return { rows: bounded(cell.rowSpan, rowsLeft), columns: bounded(cell.columnSpan, maxColumnSpan) };
}

function bounded(span: number | undefined, max: number): number {
  return Math.min(Math.max(Math.trunc(span ?? 1) || 1, 1), Math.max(max, 1));
}

/**
 * The rows with an empty cell wherever a span of another cell covers the place, so that columns line up. Rows without any
 * span around are shared. Trailing places that no cell covers are left out.
 */
export function flattenSpans(table: Table): readonly TableRow[] {
  const coveredUntil: number[] = []; // per column, the first row that is free again
  return table.rows.map((row, rowIndex) => {
    const isPlain = coveredUntil.length === 0 && row.every((cell) => typeof cell === "string" || !isSpanning(cell));
    return isPlain ? row : placeRow(row, { coveredUntil, rowIndex, rowCount: table.rows.length });
  });
}

function isSpanning(cell: Exclude<TableCell, string>): boolean {
  return (cell.rowSpan ?? 1) > 1 || (cell.columnSpan ?? 1) > 1;
}

interface RowPlace {
  readonly coveredUntil: number[];
  readonly rowIndex: number;
  readonly rowCount: number;
}

function placeRow(row: TableRow, { coveredUntil, rowIndex, rowCount }: RowPlace): TableRow {
  const placed: TableCell[] = [];
  const isCovered = (): boolean => (coveredUntil[placed.length] ?? 0) > rowIndex;
  for (const cell of row) {
    while (isCovered()) placed.push("");
    const { rows, columns } = spanOf(cell, rowCount - rowIndex);
    for (let column = 0; column < columns; column++) {
      if (rows > 1) coverUntil(coveredUntil, placed.length, rowIndex + rows);
      placed.push(column === 0 ? cell : "");
    }
  }
  while (isCovered()) placed.push("");
  return placed;
}

function coverUntil(coveredUntil: number[], column: number, row: number): void {
  while (coveredUntil.length < column) coveredUntil.push(0);
  coveredUntil[column] = row;
}
