import type { Block, Inline, RichCell, TableCell, TableRow } from "../document/document.ts";
import type { Budget } from "../limits/budget.ts";
import { countHeaderRows } from "./count-header-rows.ts";
import type { Region } from "./find-regions.ts";
import { type CellRange, type CellValue, cellKey, type Sheet, type SheetRow } from "./sheet.ts";

export interface RegionContext {
  readonly sheet: Sheet;
  readonly merges: readonly CellRange[];
  readonly budget: Budget;
  /** The mark of the note on this cell, when it has one. */
  noteReference(key: number): Inline | undefined;
}

/** One cell alone is a paragraph, a column of sentences several; anything else is a table, its title before it. */
export function regionToBlocks(region: Region, context: RegionContext): Block[] {
  const rows = rowsWithin(context.sheet.rows, region);
  const merges = context.merges.filter((merge) => isWithin(merge, region));
  const grid = new RegionGrid(rows, merges, context);
  const titles = region.headerRowCount === undefined ? grid.takeTitles() : [];
  const blocks: Block[] = titles.map(toParagraph);
  if (grid.rowCount === 0) return blocks;
  if (grid.columnCount === 1 && region.headerRowCount === undefined && grid.isProse)
    return [...blocks, ...grid.values().map(toParagraph)];
  const tableRows = grid.toTableRows();
  const headerRowCount = region.headerRowCount ?? countHeaderRows(tableRows);
  return [...blocks, { type: "table", rows: tableRows, headerRowCount: Math.min(headerRowCount, tableRows.length) }];
}

function toParagraph(inlines: readonly Inline[]): Block {
  return { type: "paragraph", inlines };
}

/** The part of each row that lies in the region; empty rows are left out unless a merged cell reaches into them. */
function rowsWithin(rows: readonly SheetRow[], region: CellRange): SheetRow[] {
  const found: SheetRow[] = [];
  for (let at = lowerBound(rows, region.firstRow); at < rows.length; at++) {
    const row = rows[at] as SheetRow;
    if (row.index > region.lastRow) break;
    const isInside = (row.columns[0] ?? 0) >= region.firstColumn && (row.columns.at(-1) ?? 0) <= region.lastColumn;
    const part = isInside ? row : cutRow(row, region);
    if (part.columns.length > 0) found.push(part);
  }
  return found;
}

function lowerBound(rows: readonly SheetRow[], index: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as SheetRow).index < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

function cutRow({ index, columns, values }: SheetRow, { firstColumn, lastColumn }: CellRange): SheetRow {
  const from = columns.findIndex((column) => column >= firstColumn);
  const past = columns.findIndex((column) => column > lastColumn);
  const to = past === -1 ? columns.length : past;
  return from === -1
    ? { index, columns: [], values: [] }
    : { index, columns: columns.slice(from, to), values: values.slice(from, to) };
}

function isWithin(merge: CellRange, region: CellRange): boolean {
  return (
    merge.firstRow >= region.firstRow &&
    merge.lastRow <= region.lastRow &&
    merge.firstColumn >= region.firstColumn &&
    merge.lastColumn <= region.lastColumn
  );
}

/** The rows of a region with the columns in use, numbered from zero. */
class RegionGrid {
  readonly #context: RegionContext;
  #rows: SheetRow[];
  readonly #mergeByAnchor = new Map<number, CellRange>();
  readonly #mergesByRow = new Map<number, CellRange[]>();
  /** Position of a sheet column among the columns in use; only columns in use are keys. */
  readonly #positions = new Map<number, number>();

  constructor(rows: SheetRow[], merges: readonly CellRange[], context: RegionContext) {
    this.#rows = rows;
    this.#context = context;
    for (const merge of merges) this.#addMerge(merge);
    const used = new Set<number>();
    let known: readonly number[] | undefined;
    for (const { columns } of rows) {
      if (columns !== known) for (const column of columns) used.add(column);
      known = columns;
    }
    for (const { firstColumn, lastColumn } of merges)
      for (let column = firstColumn; column <= lastColumn; column++) used.add(column);
    for (const column of [...used].sort((a, b) => a - b)) this.#positions.set(column, this.#positions.size);
  }

  #addMerge(merge: CellRange): void {
    this.#mergeByAnchor.set(cellKey(merge.firstRow, merge.firstColumn), merge);
    for (let row = merge.firstRow; row <= merge.lastRow; row++) {
      const list = this.#mergesByRow.get(row);
      if (list === undefined) this.#mergesByRow.set(row, [merge]);
      else list.push(merge);
    }
  }

  get #hasOnlyText(): boolean {
    const { links, notes } = this.#context.sheet;
    return links.size === 0 && notes.size === 0;
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  get columnCount(): number {
    return this.#positions.size;
  }

  /** Whether the cells of a single column read as text: several sentences rather than entries. */
  get isProse(): boolean {
    if (this.#rows.length === 1) return true;
    const lengths = this.#rows.map(({ values }) => (typeof values[0] === "string" ? values[0].length : 0));
    return lengths.reduce((sum, length) => sum + length, 0) / lengths.length > 80;
  }

  /** All cells row by row, as inlines. */
  values(): (readonly Inline[])[] {
    return this.#rows.flatMap(({ index, columns, values }) =>
      columns.map((column, at) => this.#inlines(values[at] as CellValue, cellKey(index, column))),
    );
  }

  /** Removes the first rows that hold one text each, at the left or over several columns, above rows with more cells. */
  takeTitles(): (readonly Inline[])[] {
    const count = this.#countTitles();
    const titles = this.#rows.slice(0, count);
    this.#rows = this.#rows.slice(count);
    return titles.map(({ index, columns, values }) =>
      this.#inlines(values[0] as CellValue, cellKey(index, columns[0] as number)),
    );
  }

  #countTitles(): number {
    if (this.#positions.size < 2) return this.#rows.length === 1 && this.#rows[0]?.columns.length === 1 ? 1 : 0;
    let count = 0;
    while (count < 5 && this.#isTitle(this.#rows[count])) count++;
    return count > 0 && (this.#rows.length === count || (this.#rows[count]?.columns.length ?? 0) > 1) ? count : 0;
  }

  #isTitle(row: SheetRow | undefined): boolean {
    if (row === undefined || row.columns.length !== 1) return false;
    const column = row.columns[0] as number;
    const merge = this.#mergeByAnchor.get(cellKey(row.index, column));
    if (merge !== undefined) return merge.lastRow === merge.firstRow && merge.lastColumn > merge.firstColumn;
    return this.#positions.get(column) === 0 && !this.#mergesByRow.has(row.index);
  }

  toTableRows(): TableRow[] {
    const lastIndex = this.#rows.at(-1)?.index ?? -1;
    const isPlain = this.#mergesByRow.size === 0;
    const rows = isPlain ? this.#rows : this.#withRowsUnderMerges(lastIndex);
    this.#context.budget.takeTableCells(
      Math.max(0, rows.length * this.#positions.size - rows.reduce((sum, { columns }) => sum + columns.length, 0)),
    );
    return isPlain ? rows.map((row) => this.#plainRow(row)) : rows.map((row) => this.#spannedRow(row, rows));
  }

  #withRowsUnderMerges(lastIndex: number): SheetRow[] {
    const present = new Set(this.#rows.map(({ index }) => index));
    const firstIndex = this.#rows[0]?.index ?? 0;
    const missing = [...this.#mergesByRow.keys()].filter(
      (index) => index > firstIndex && index <= lastIndex && !present.has(index),
    );
    if (missing.length === 0) return this.#rows;
    return [...this.#rows, ...missing.map((index) => ({ index, columns: [], values: [] }))].sort(
      (a, b) => a.index - b.index,
    );
  }

  #plainRow({ index, columns, values }: SheetRow): TableRow {
    const width = this.#positions.size;
    if (this.#hasOnlyText && columns.length === width && values.every(isPlainText)) return values as readonly string[];
    const cells: TableCell[] = columns.length === width ? [] : Array.from<TableCell>({ length: width }).fill("");
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] as number;
      const position = columns.length === width ? at : (this.#positions.get(column) as number);
      cells[position] = this.#cell(values[at] as CellValue, cellKey(index, column));
    }
    return cells;
  }

  #spannedRow(row: SheetRow, rows: readonly SheetRow[]): TableRow {
    const merges = this.#mergesByRow.get(row.index);
    if (merges === undefined) return this.#plainRow(row);
    const cells: TableCell[] = [];
    let at = 0;
    for (const column of this.#positions.keys()) {
      while (at < row.columns.length && (row.columns[at] as number) < column) at++;
      const value = row.columns[at] === column ? (row.values[at] as CellValue) : "";
      const merge = merges.find(({ firstColumn, lastColumn }) => firstColumn <= column && column <= lastColumn);
      const isAnchor = merge?.firstRow === row.index && merge.firstColumn === column;
      if (merge === undefined) cells.push(this.#cell(value, cellKey(row.index, column)));
      else if (isAnchor) cells.push(this.#spanningCell(value, merge, rows));
    }
    return cells;
  }

  #spanningCell(value: CellValue, merge: CellRange, rows: readonly SheetRow[]): RichCell {
    const from = lowerBound(rows, merge.firstRow);
    const to = lowerBound(rows, merge.lastRow + 1);
    const inlines = this.#inlines(value, cellKey(merge.firstRow, merge.firstColumn));
    return {
      blocks: [{ type: "paragraph", inlines }],
      rowSpan: Math.max(1, to - from),
      columnSpan: merge.lastColumn - merge.firstColumn + 1,
    };
  }

  #cell(value: CellValue, key: number): TableCell {
    const { sheet } = this.#context;
    const isPlain = typeof value === "string" && !value.includes("\n");
    if (isPlain && !sheet.links.has(key) && !sheet.notes.has(key)) return value;
    return { blocks: [{ type: "paragraph", inlines: this.#inlines(value, key) }] };
  }

  #inlines(value: CellValue, key: number): readonly Inline[] {
    const text = typeof value === "string" ? toLines(value) : value;
    const target = this.#context.sheet.links.get(key);
    const linked: readonly Inline[] = target === undefined ? text : [{ type: "link", target, inlines: text }];
    const note = this.#context.noteReference(key);
    return note === undefined ? linked : [...linked, note];
  }
}

function isPlainText(value: CellValue): boolean {
  return typeof value === "string" && !value.includes("\n");
}

function toLines(text: string): readonly Inline[] {
  if (!text.includes("\n")) return [text];
  const lines = text.trim().split(/\r?\n/);
  return lines.flatMap((line, at): Inline[] => (at === 0 ? [line] : [{ type: "lineBreak" }, line]));
}
