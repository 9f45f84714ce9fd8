import type { Block, RichCell, TableCell, TableRow } from "../../document/document.ts";
import type { Reading } from "./scope.ts";
import type { Environment, Range } from "./tex-source.ts";

const rule =
  /\\(?:hline|toprule|midrule|bottomrule|firsthline|lasthline|specialrule|Xhline|(?:cline|cmidrule)(?:\([^)]{0,20}\))?\{[\d\s-]{1,12}\})(?:\[[^\]]{0,40}\])?/g;
const pageRules = /\\(?:endfirsthead|endhead|endfoot|endlastfoot)(?![A-Za-z])/;

/** Rows of `tabular` and its relatives. */
export function readTabular(environment: Environment, reading: Reading): Block[] {
  const body = withoutColumns(environment, reading);
  const lines = splitAt(body, reading, true);
  const rows: TableCell[][] = [];
  const covered = new Map<number, number>();
  let headerRowCount = 0;
  let ruleCount = 0;
  for (const line of lines) {
    const text = reading.source.slice(line);
    ruleCount += text.match(rule)?.length ?? 0;
    if (rows.length === 1 && ruleCount > 1 && headerRowCount === 0 && /^\s*\\(?:hline|midrule|cmidrule)/.test(text))
      headerRowCount = 1;
    if (pageRules.test(text)) rows.length = 0;
    const start = contentStart(line, reading);
    if (reading.source.slice({ from: start, to: line.to }).replace(rule, "").trim() === "") continue;
    rows.push(readRow({ from: start, to: line.to }, covered, reading));
  }
  reading.scope.context.budget.takeTableCells(rows.reduce((sum, row) => sum + row.length, 0));
  if (rows.length === 0) return [];
  return [{ type: "table", headerRowCount: rows.length > 1 ? headerRowCount : 0, rows: rows satisfies TableRow[] }];
}

// `tabularx` has a width before its columns.
function withoutColumns({ name, from, to }: Environment, { source }: Reading): Range {
  let at = source.optionAt(from).end;
  const count = /^(?:tabularx|tabulary)$|\*$/.test(name) ? 2 : 1;
  for (let left = count; left > 0; left--) at = source.argumentAt(source.optionAt(at).end)?.end ?? at;
  return { from: Math.min(at, to), to };
}

// Rules at the beginning of a row, and what comes before the end of a head in long tables.
function contentStart({ from, to }: Range, { source }: Reading): number {
  const text = source.slice({ from, to });
  const head = /^[\s\S]*\\(?:endfirsthead|endhead|endfoot|endlastfoot)(?![A-Za-z])/.exec(text)?.[0].length ?? 0;
  const rules =
    /^(?:\s|\\(?:hline|toprule|midrule|bottomrule|firsthline|lasthline)(?![A-Za-z])|\\(?:cline|cmidrule)(?:\([^)]{0,20}\))?\{[\d\s-]{1,12}\})*/.exec(
      text.slice(head),
    )?.[0].length ?? 0;
  return from + head + rules;
}

// Parts at `\\` (rows) or `&` (cells), but not inside groups and environments.
function splitAt({ from, to }: Range, { source }: Reading, isRows: boolean): Range[] {
  const parts: Range[] = [];
  let start = from;
  let at = from;
  while (at < to) {
    const sign = source.text[at];
    const isRowEnd = source.text.startsWith("\\\\", at) || source.text.startsWith("\\tabularnewline", at);
    if (isRows ? isRowEnd : sign === "&") {
      parts.push({ from: start, to: at });
      at = isRows ? source.optionAt(at + (source.text[at + 1] === "\\" ? 2 : 15)).end : at + 1;
      start = at;
    } else at = skipped(at, source);
  }
  return [...parts, { from: Math.min(start, to), to }];
}

function skipped(at: number, source: Reading["source"]): number {
  const sign = source.text[at];
  if (sign === "{") return (source.groupAt(at)?.to ?? at) + 1;
  if (sign !== "\\") return at + 1;
  return source.environmentAt(at)?.end ?? at + 2;
}

// Places that a \multirow above covers hold an empty cell, which is left out.
function readRow(line: Range, covered: Map<number, number>, reading: Reading): TableCell[] {
  const cells: TableCell[] = [];
  let column = 0;
  for (const range of splitAt(line, reading, false)) {
    const cell = readCell(range, reading);
    const rowsLeft = covered.get(column) ?? 0;
    const isCovered = rowsLeft > 0 && isEmpty(cell);
    if (rowsLeft > 0) covered.set(column, rowsLeft - 1);
    if (!isCovered) cells.push(cell);
    if (typeof cell !== "string" && (cell.rowSpan ?? 1) > 1) covered.set(column, (cell.rowSpan ?? 1) - 1);
    column += typeof cell === "string" ? 1 : (cell.columnSpan ?? 1);
  }
  return cells;
}

function isEmpty(cell: TableCell): boolean {
  return typeof cell === "string" ? cell === "" : cell.blocks.length === 0;
}

const span = /^\s*\\multi(column|row)\s*(?:\[[^\]]{0,20}\]\s*)?\{\s*(\d{1,3})\s*\}/;

function readCell(range: Range, reading: Reading): TableCell {
  const { source } = reading;
  const match = span.exec(source.slice({ from: range.from, to: Math.min(range.to, range.from + 200) }));
  if (match === null) return toCell(reading.blocks(range));
  const second = source.argumentAt(source.optionAt(range.from + match[0].length).end);
  const content = second && source.argumentAt(source.optionAt(second.end).end);
  if (content === undefined || content.end > range.to) return toCell(reading.blocks(range));
  const count = Math.max(1, Math.min(100, Number(match[2])));
  const inner = readCell(content.range, reading);
  const rich: RichCell =
    typeof inner === "string" ? { blocks: inner === "" ? [] : [{ type: "paragraph", inlines: [inner] }] } : inner;
  if (count === 1) return inner;
  return match[1] === "column" ? { ...rich, columnSpan: count } : { ...rich, rowSpan: count };
}

function toCell(blocks: readonly Block[]): TableCell {
  const only = blocks[0];
  if (only === undefined) return "";
  const isText =
    blocks.length === 1 && only.type === "paragraph" && only.inlines.every((inline) => typeof inline === "string");
  return isText ? only.inlines.join("").trim() : { blocks };
}
