import { type CellRange, maxSheetColumns, maxSheetRows } from "./sheet.ts";

/** `BC12` as zero-based row and column; undefined for text that names no cell of a sheet. */
export function parseCellReference(text: string): { readonly row: number; readonly column: number } | undefined {
  const match = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(text);
  if (match === null) return undefined;
  const column = parseColumn(match[1] as string);
  const row = Number(match[2]) - 1;
  return row >= 0 && row < maxSheetRows && column < maxSheetColumns ? { row, column } : undefined;
}

/** `A1:C3` or `A1`; corners in any order. */
export function parseCellRange(text: string): CellRange | undefined {
  const [from = "", to = from] = text.split(":");
  const a = parseCellReference(from);
  const b = parseCellReference(to);
  if (a === undefined || b === undefined) return undefined;
  return {
    firstRow: Math.min(a.row, b.row),
    lastRow: Math.max(a.row, b.row),
    firstColumn: Math.min(a.column, b.column),
    lastColumn: Math.max(a.column, b.column),
  };
}

function parseColumn(letters: string): number {
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
