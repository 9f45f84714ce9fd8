import type { Block, TableCell } from "../../document/document.ts";
import { readInlines } from "./read-inlines.ts";
import type { Cursor, Scope, Taken } from "./scope.ts";

/** A table of lines that begin with a bar; rows above the first rule are its header. */
export function readTable({ lines, at }: Cursor, scope: Scope): Taken | undefined {
  if (!isTableLine(lines[at] ?? "")) return undefined;
  let end = at;
  while (isTableLine(lines[end] ?? "")) end++;
  const rows: TableCell[][] = [];
  let headerRowCount = 0;
  for (const line of lines.slice(at, end)) {
    const isRule = /^\s*\|-/.test(line);
    if (isRule && headerRowCount === 0) headerRowCount = rows.length;
    else if (!isRule && !isWidths(line)) rows.push(splitRow(line).map((cell) => toCell(cell, scope)));
  }
  scope.context.budget.takeTableCells(rows.reduce((sum, row) => sum + row.length, 0));
  const isHeaded = headerRowCount < rows.length;
  const table: Block = { type: "table", headerRowCount: isHeaded ? headerRowCount : 0, rows };
  return { blocks: rows.length === 0 ? [] : [table], lineCount: end - at };
}

function isTableLine(line: string): boolean {
  return line.trimStart().startsWith("|");
}

// `<10>` and `<r>` set widths and alignment.
function isWidths(line: string): boolean {
  const cells = splitRow(line);
  return cells.some((cell) => cell !== "") && cells.every((cell) => /^(?:<[lrc]?\d*>)?$/.test(cell));
}

function splitRow(line: string): string[] {
  const content = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return content.split("|").map((cell) => cell.trim().replaceAll("\\vert{}", "|").replaceAll("\\vert", "|"));
}

function toCell(text: string, scope: Scope): TableCell {
  const inlines = readInlines(text, scope);
  if (inlines.every((inline) => typeof inline === "string")) return inlines.join("");
  return { blocks: [{ type: "paragraph", inlines }] };
}
