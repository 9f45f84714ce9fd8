import type { Block, RichCell, Table, TableCell } from "../../document/document.ts";
import { joinLines } from "../../text/join-lines.ts";
import type { Directive } from "./read-directive.ts";
import { readInlines } from "./read-inlines.ts";
import { toCell } from "./read-tables.ts";
import { readNested, type Scope } from "./scope.ts";

/** `.. list-table::`: a list of rows, each a list of cells. */
export function readListTable(directive: Directive, scope: Scope): Block[] {
  const body = readNested(directive.content, scope);
  const list = body[0];
  if (list?.type !== "list") return body;
  const rows = list.items.map((row) => {
    const cells = row.blocks[0];
    return cells?.type === "list" ? cells.items.map(({ blocks }) => toCell(blocks)) : [toCell(row.blocks)];
  });
  return [toTable(rows, directive, scope), ...body.slice(1)];
}

/** `.. csv-table::` with its rows in the file itself. */
export function readCsvTable(directive: Directive, scope: Scope): Block[] {
  if (directive.options.has("file") || directive.options.has("url")) {
    scope.context.warn("A table of the text stands in another file, which is not read.");
    return [];
  }
  const delimiter = directive.options.get("delim")?.replace("tab", "\t") ?? ",";
  const header = directive.options.get("header");
  const lines = header === undefined ? directive.content : [header, ...directive.content];
  const rows = splitCsv(lines.join("\n"), delimiter[0] ?? ",").map((row) =>
    row.map((cell) => toCell(readNested(cell.split("\n"), scope))),
  );
  return [toTable(rows, directive, scope, header === undefined ? 0 : 1)];
}

function toTable(
  rows: readonly TableCell[][],
  { argument, more, options }: Directive,
  ...[scope, extraHeaders = 0]: readonly [Scope, number?]
): Table {
  scope.context.budget.takeTableCells(rows.reduce((sum, row) => sum + row.length, 0));
  const headerRowCount = Math.min(rows.length, (Number(options.get("header-rows") ?? 0) || 0) + extraHeaders);
  const stubs = Number(options.get("stub-columns") ?? 0) || 0;
  const caption = readInlines(joinLines([argument, ...more].filter(Boolean)), scope);
  return {
    type: "table",
    headerRowCount,
    rows: rows.map((row) => row.map((cell, column) => (column < stubs ? asRowHeader(cell) : cell))),
    ...(caption.length > 0 && { caption }),
  };
}

function asRowHeader(cell: TableCell): RichCell {
  if (typeof cell !== "string") return { ...cell, isRowHeader: true };
  return { blocks: cell === "" ? [] : [{ type: "paragraph", inlines: [cell] }], isRowHeader: true };
}

function splitCsv(text: string, delimiter: string): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  const endCell = (): void => {
    rows.at(-1)?.push(cell.trim());
    cell = "";
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') {
      const isEscaped = isQuoted && text[at + 1] === '"';
      if (isEscaped) cell += text[at++];
      else isQuoted = !isQuoted;
    } else if (!isQuoted && character === delimiter) endCell();
    else if (!isQuoted && character === "\n") {
      endCell();
      rows.push([]);
    } else cell += character;
  }
  endCell();
  return rows.filter((row) => row.some((value) => value !== ""));
}
