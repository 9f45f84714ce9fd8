import type { Block, TableCell } from "../../document/document.ts";
import { parseGrid } from "./parse-grid.ts";
import { type BlockRule, readNested, type Scope } from "./scope.ts";

/** A cell of blocks, as a plain string where it is nothing more. */
export function toCell(blocks: readonly Block[]): TableCell {
  const only = blocks[0];
  if (only === undefined) return "";
  const isText =
    blocks.length === 1 && only.type === "paragraph" && only.inlines.every((inline) => typeof inline === "string");
  return isText ? only.inlines.join("") : { blocks };
}

/** A table drawn as a grid of `+`, `-` and `|`. */
export const readGridTable: BlockRule = ({ lines, at }, scope) => {
  if (!/^\+-[-+]+\+\s*$/.test(lines[at] ?? "")) return undefined;
  let end = at;
  while (/^[+|]/.test(lines[end] ?? "")) end++;
  const drawing = lines.slice(at, end).map((line) => line.trimEnd());
  const grid = parseGrid(drawing);
  const lineCount = end - at;
  if (grid === undefined) return { blocks: [{ type: "code", text: drawing.join("\n") }], lineCount };
  scope.context.budget.takeTableCells(grid.rows.reduce((sum, row) => sum + row.length, 0));
  const rows = grid.rows.map((row) =>
    row.map(({ lines: cell, rowSpan, columnSpan }): TableCell => {
      const content = toCell(readNested(cell, scope));
      if (rowSpan === 1 && columnSpan === 1) return content;
      const blocks = typeof content === "string" ? textBlocks(content) : content.blocks;
      return { blocks, ...(rowSpan > 1 && { rowSpan }), ...(columnSpan > 1 && { columnSpan }) };
    }),
  );
  return { blocks: [{ type: "table", headerRowCount: grid.headerRowCount, rows }], lineCount };
};

function textBlocks(text: string): Block[] {
  return text === "" ? [] : [{ type: "paragraph", inlines: [text] }];
}

/** A table whose columns are drawn with `====  ====`. */
export const readSimpleTable: BlockRule = ({ lines, at }, scope) => {
  const border = (lines[at] ?? "").trimEnd();
  if (!/^=+(?: +=+)+$/.test(border)) return undefined;
  const rules = findRules(lines, at);
  const last = rules.at(-1) ?? at;
  if (last === at) return undefined;
  const columns = columnsOf(border);
  const rowLines = (from: number, to: number): TableCell[][] => readRows(lines.slice(from + 1, to), columns, scope);
  const first = rules.length > 2 ? (rules[1] ?? last) : at;
  const header = first === at ? [] : rowLines(at, first);
  return {
    blocks: [{ type: "table", headerRowCount: header.length, rows: [...header, ...rowLines(first, last)] }],
    lineCount: last - at + 1,
  };
};

// Lines of borders; the table ends with the one that a blank line or the end of the text follows.
function findRules(lines: readonly string[], at: number): readonly number[] {
  const rules = [at];
  for (let end = at + 1; end < Math.min(lines.length, at + maxTableLines); end++) {
    if (!/^=+(?: +=+)*\s*$/.test(lines[end] as string)) continue;
    rules.push(end);
    const isFollowedByBlank = (lines[end + 1] ?? "").trim() === "";
    if (isFollowedByBlank && (rules.length > 2 || isLast(lines, end + 1))) break;
  }
  return rules;
}

const maxTableLines = 5000;

// Whether no further border follows before the text goes on in another way.
function isLast(lines: readonly string[], from: number): boolean {
  for (let at = from; at < Math.min(lines.length, from + maxTableLines); at++) {
    const line = lines[at] as string;
    if (/^=+(?: +=+)+\s*$/.test(line)) return false;
    if (line.trim() !== "" && !/ {2}/.test(line)) return true;
  }
  return true;
}

function columnsOf(border: string): readonly (readonly [number, number])[] {
  return [...border.matchAll(/=+/g)].map((match) => [match.index, match.index + match[0].length] as const);
}

function readRows(
  lines: readonly string[],
  columns: readonly (readonly [number, number])[],
  scope: Scope,
): TableCell[][] {
  const rows: string[][][] = [];
  let isFresh = true;
  for (const line of lines) {
    if (line.trim() === "" || /^[-=]+(?: +[-=]+)*\s*$/.test(line)) {
      isFresh = true;
      continue;
    }
    const cells = columns.map(([start], index) => line.slice(start, columns[index + 1]?.[0] ?? line.length).trimEnd());
    const isNew = (cells[0] ?? "").trim() !== "" || rows.length === 0 || isFresh;
    if (isNew) rows.push(cells.map((cell) => [cell]));
    else cells.forEach((cell, index) => rows.at(-1)?.[index]?.push(cell));
    isFresh = false;
  }
  scope.context.budget.takeTableCells(rows.length * columns.length);
  return rows.map((row) =>
    row.map((cell) =>
      toCell(
        readNested(
          cell.map((text) => text.trim()),
          scope,
        ),
      ),
    ),
  );
}
