import type { RichCell, TableCell, TableRow } from "../document/document.ts";

const numberPattern =
  /^[-+(]?[\p{Sc}]?\s?\d[\d.,' ]*%?\)?(?:\s?\p{Sc})?$|^\d{4}-\d\d(?:-\d\d)?(?:T[\d:.]+)?$|^\d{1,2}:\d\d(?::\d\d)?$/u;
const sampledRows = 20;

/**
 * How many of the first rows head the columns: one, unless the first row looks like all others (numbers where they have
 * numbers), or its merged cells show that a second row belongs to the head.
 */
export function countHeaderRows(rows: readonly TableRow[]): number {
  const first = rows[0];
  if (first === undefined) return 0;
  if (rows.length === 1) return 1;
  const spans = first.filter((cell): cell is RichCell => typeof cell !== "string");
  const depth = Math.max(1, ...spans.map(({ rowSpan }) => rowSpan ?? 1));
  if (depth > 1 && depth <= 4 && depth < rows.length && isHead(rows.slice(0, depth))) return depth;
  const groups = spans.some(({ columnSpan }) => (columnSpan ?? 1) > 1);
  if (groups && rows.length > 2 && isHead(rows.slice(0, 2)) && !isHead(rows.slice(2, 3))) return 2;
  return looksLikeRecord(first, rows.slice(1, 1 + sampledRows)) ? 0 : 1;
}

function isHead(rows: readonly TableRow[]): boolean {
  return rows.every((row) => row.every((cell) => !isNumber(cell)));
}

// A first row with a number in some column, and of the same kinds as the rows below in every column, is one of them.
function looksLikeRecord(first: TableRow, sample: readonly TableRow[]): boolean {
  if (sample.length < 2 || !first.some(isNumber)) return false;
  return first.every((cell, column) => {
    const numbers = sample.filter((row) => row[column] !== undefined && isNumber(row[column])).length;
    return isNumber(cell) ? numbers > sample.length / 2 : numbers <= sample.length / 2;
  });
}

function isNumber(cell: TableCell): boolean {
  return typeof cell === "string" && cell.length < 40 && numberPattern.test(cell);
}
