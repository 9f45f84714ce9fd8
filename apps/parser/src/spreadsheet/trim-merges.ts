import type { CellRange, Sheet, SheetRow } from "./sheet.ts";

/** Rows that all merged ranges of a sheet may cover together; a flood of them is left out. */
const maxMergedRows = 500_000;

export interface TrimmedMerges {
  readonly merges: readonly CellRange[];
  /** Ranges left out because there are too many. */
  readonly leftOutCount: number;
}

/**
 * Merged ranges as far as they matter: those whose first cell is filled, cut to the rows and columns in use, without those
 * that overlap an earlier one. `A1:XFD1048576` over a small sheet becomes small.
 */
export function trimMerges(sheet: Sheet): TrimmedMerges {
  const lastRow = sheet.rows.at(-1)?.index ?? -1;
  const lastColumn = sheet.rows.reduce((last, { columns }) => Math.max(last, columns.at(-1) ?? 0), 0);
  const rowByIndex = new Map(sheet.merges.length === 0 ? [] : sheet.rows.map((row) => [row.index, row]));
  const taken = new Map<number, CellRange[]>();
  const merges: CellRange[] = [];
  let mergedRows = 0;
  let leftOutCount = 0;
  for (const merge of sheet.merges) {
    const range = {
      ...merge,
      lastRow: Math.min(merge.lastRow, lastRow),
      lastColumn: Math.min(merge.lastColumn, lastColumn),
    };
    if (!isFilled(rowByIndex.get(range.firstRow), range.firstColumn) || isOneCell(range)) continue;
    mergedRows += range.lastRow - range.firstRow + 1;
    if (mergedRows > maxMergedRows) leftOutCount++;
    else if (take(range, taken)) merges.push(range);
  }
  return { merges, leftOutCount };
}

function isFilled(row: SheetRow | undefined, column: number): boolean {
  return row?.columns.includes(column) === true;
}

function isOneCell(range: CellRange): boolean {
  return range.firstRow === range.lastRow && range.firstColumn === range.lastColumn;
}

function take(range: CellRange, taken: Map<number, CellRange[]>): boolean {
  for (let row = range.firstRow; row <= range.lastRow; row++) {
    if (taken.get(row)?.some((other) => overlaps(other, range)) === true) return false;
  }
  for (let row = range.firstRow; row <= range.lastRow; row++) {
    const list = taken.get(row);
    if (list === undefined) taken.set(row, [range]);
    else list.push(range);
  }
  return true;
}

function overlaps(a: CellRange, b: CellRange): boolean {
  return a.firstColumn <= b.lastColumn && b.firstColumn <= a.lastColumn;
}
