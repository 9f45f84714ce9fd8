import type { Block, TableCell, TableRow } from "../../document/document.ts";
import { readInlines } from "./read-inlines.ts";
import { type BlockAttributes, type Cursor, readNested, type Scope, type Taken } from "./scope.ts";

const delimiter = /^([|,:!])={3,}\s*$/;
// Span, repetition, alignment and style of a cell stand before its bar: `2.3+^.>a|`.
const cellStart = /(?:(?<=^|\s)(?:(\d{1,3})?(?:\.(\d{1,3}))?([+*]))?(?:[<^>])?(?:\.[<^>])?([adehlmsv])?)?(?<!\\)\|/g;

interface RawCell {
  readonly columnSpan: number;
  readonly rowSpan: number;
  readonly repeat: number;
  readonly style: string;
  text: string;
}

/** A table between two lines `|===`. */
export function readTable({ lines, at }: Cursor, attributes: BlockAttributes, scope: Scope): Taken | undefined {
  const sign = delimiter.exec(lines[at] ?? "")?.[1];
  if (sign === undefined) return undefined;
  const fence = (lines[at] as string).trimEnd();
  let end = at + 1;
  while (end < lines.length && (lines[end] as string).trimEnd() !== fence) end++;
  const content = lines.slice(at + 1, end);
  const cells = sign === "|" || sign === "!" ? splitCells(content, sign) : splitValues(content, sign);
  const columns = columnCount(content, cells, attributes);
  const rows = toRows(cells, columns, scope);
  const caption = attributes.title === undefined ? {} : { caption: readInlines(attributes.title, scope) };
  const headerRowCount = rows.length > 0 && hasHeader(content, attributes) ? 1 : 0;
  const table: Block = { type: "table", headerRowCount, rows, ...caption };
  return { blocks: rows.length === 0 ? [] : [table], lineCount: end - at + 1 };
}

function splitCells(lines: readonly string[], sign: string): RawCell[] {
  const cells: RawCell[] = [];
  for (const line of lines) {
    const text = sign === "|" ? line : line.replaceAll(sign, "|");
    let from = 0;
    for (const match of text.matchAll(cellStart)) {
      appendText(cells, text.slice(from, match.index));
      cells.push(toRawCell(match));
      from = match.index + match[0].length;
    }
    appendText(cells, text.slice(from));
    appendText(cells, "\n");
  }
  return cells;
}

function toRawCell([, columns, rows, operator, style = ""]: RegExpMatchArray): RawCell {
  const count = Math.max(1, Math.min(maxSpan, Number(columns ?? 1)));
  const isRepeat = operator === "*";
  return {
    columnSpan: isRepeat ? 1 : count,
    rowSpan: Math.max(1, Math.min(maxSpan, Number(rows ?? 1))),
    repeat: isRepeat ? count : 1,
    style,
    text: "",
  };
}

const maxSpan = 100;

function appendText(cells: readonly RawCell[], text: string): void {
  const last = cells.at(-1);
  if (last !== undefined) last.text += text;
}

function splitValues(lines: readonly string[], sign: string): RawCell[] {
  const values = lines.filter((line) => line.trim() !== "").flatMap((line) => line.split(sign));
  return values.map((text) => ({
    columnSpan: 1,
    rowSpan: 1,
    repeat: 1,
    style: "",
    text: text.trim().replace(/^"(.*)"$/, "$1"),
  }));
}

function columnCount(
  lines: readonly string[],
  cells: readonly RawCell[],
  { named, positional }: BlockAttributes,
): number {
  const columns = named.get("cols") ?? positional.find((part) => /^[\d,*<^>.a-z]+$/.test(part));
  if (columns !== undefined) {
    const counts = columns.split(/[,;]/).map((part) => Number(/^\s*(\d{1,3})\*/.exec(part)?.[1] ?? 1));
    return Math.max(
      1,
      Math.min(
        1000,
        counts.reduce((sum, count) => sum + count, 0),
      ),
    );
  }
  const first = lines.find((line) => line.trim() !== "") ?? "";
  const inFirst = splitCells([first], "|");
  const width = inFirst.reduce((sum, { columnSpan, repeat }) => sum + columnSpan * repeat, 0);
  return Math.max(1, Math.min(width || first.split(/[,:]/).length, cells.length || 1));
}

// Options say so, or the first row stands on one line with a blank one below it.
function hasHeader(lines: readonly string[], { named }: BlockAttributes): boolean {
  const options = `${named.get("options") ?? ""},${named.get("opts") ?? ""}`;
  if (/header/.test(options)) return !/noheader/.test(options);
  return (lines[0] ?? "").trim() !== "" && lines.length > 2 && (lines[1] ?? "").trim() === "";
}

function toRows(cells: readonly RawCell[], columns: number, scope: Scope): TableRow[] {
  const layout = new Layout(columns);
  for (const cell of cells) {
    for (let copy = 0; copy < cell.repeat; copy++) {
      scope.context.budget.takeTableCells(1);
      layout.place(toCell(cell, scope), cell);
    }
  }
  return layout.rows;
}

/** Puts cells one after another into rows of so many columns, past places that a cell above covers. */
class Layout {
  readonly rows: TableCell[][] = [];
  /** For each column, how many more rows the cell above covers. */
  readonly #covered: number[];
  #column: number;

  constructor(columns: number) {
    this.#covered = Array.from({ length: columns }, () => 0);
    this.#column = columns;
  }

  place(cell: TableCell, { columnSpan, rowSpan }: RawCell): void {
    this.#skipCovered();
    while (this.#column >= this.#covered.length) {
      this.rows.push([]);
      this.#column = 0;
      this.#skipCovered();
    }
    this.rows.at(-1)?.push(cell);
    this.#covered.fill(rowSpan - 1, this.#column, this.#column + columnSpan);
    this.#column += columnSpan;
  }

  #skipCovered(): void {
    let rowsLeft = this.#covered[this.#column] ?? 0;
    while (rowsLeft > 0) {
      this.#covered[this.#column] = rowsLeft - 1;
      this.#column++;
      rowsLeft = this.#covered[this.#column] ?? 0;
    }
  }
}

function toCell({ style, text, columnSpan, rowSpan }: RawCell, scope: Scope): TableCell {
  const blocks = cellBlocks(text.trim().replaceAll("\\|", "|"), style, scope);
  const isRowHeader = style === "h";
  const isPlain = columnSpan === 1 && rowSpan === 1 && !isRowHeader;
  const plain = isPlain ? plainText(blocks) : undefined;
  if (plain !== undefined) return plain;
  return {
    blocks,
    ...(columnSpan > 1 && { columnSpan }),
    ...(rowSpan > 1 && { rowSpan }),
    ...(isRowHeader && { isRowHeader }),
  };
}

function plainText(blocks: readonly Block[]): string | undefined {
  const only = blocks[0];
  if (only === undefined) return "";
  const isText =
    blocks.length === 1 && only.type === "paragraph" && only.inlines.every((inline) => typeof inline === "string");
  return isText ? only.inlines.join("") : undefined;
}

function cellBlocks(content: string, style: string, scope: Scope): Block[] {
  if (content === "") return [];
  if (style === "l") return [{ type: "code", text: content }];
  if (style === "a") return readNested(content.split("\n"), scope);
  const paragraphs = content.split(/\n\s*\n/);
  return paragraphs.map((text) => ({
    type: "paragraph",
    inlines: readInlines(text.replace(/(?<!\s)\s*\n\s*/g, " "), scope),
  }));
}
