import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block } from "../document/document.ts";
import type { Budget } from "../limits/budget.ts";
import {
  type CellRange,
  type CellValue,
  cellKey,
  type DeclaredTable,
  type FloatingBlocks,
  maxSheetColumns,
  maxSheetRows,
  type Sheet,
  type SheetRow,
} from "./sheet.ts";

/** What all sheets of one file share while they are built. */
export interface SheetLimits {
  readonly budget: Budget;
  /** Characters of all cells so far; a file may name one long string a million times. */
  characters: number;
}

/** Collects the cells of one sheet, with rows and columns as the file counts them, and leaves out the hidden ones. */
export class SheetBuilder {
  readonly name: string;
  readonly #limits: SheetLimits;
  readonly #rows: SheetRow[] = [];
  readonly #hiddenColumns = new Set<number>();
  readonly #hiddenRows: number[] = [];
  readonly #merges: CellRange[] = [];
  readonly #tables: DeclaredTable[] = [];
  readonly #links = new Map<number, string>();
  readonly #notes = new Map<number, readonly Block[]>();
  readonly #floating: FloatingBlocks[] = [];
  #isAscending = true;
  #row: SheetRow | undefined;
  /** Filled cells left out because their row or column is hidden. */
  hiddenCellCount = 0;

  constructor(name: string, limits: SheetLimits) {
    this.name = name;
    this.#limits = limits;
  }

  get hiddenRowCount(): number {
    return this.#hiddenRows.length;
  }

  get hiddenColumnCount(): number {
    return this.#hiddenColumns.size;
  }

  /** Both included; what lies beyond the last column of any sheet is ignored. */
  hideColumns(first: number, last: number): void {
    for (let column = Math.max(0, first); column <= Math.min(last, maxSheetColumns - 1); column++)
      this.#hiddenColumns.add(column);
  }

  /** Ends the row before. Cells of a hidden row are only counted. */
  startRow(index: number, isHidden: boolean): void {
    if (index >= maxSheetRows * 16) throw new AppError("DOCUMENT_CORRUPT", { detail: `It has a row ${index + 1}.` });
    this.endRow();
    if (isHidden) this.#hiddenRows.push(index);
    if (isHidden) this.#row = undefined;
    else this.#row = { index, columns: [], values: [] };
  }

  endRow(): void {
    const row = this.#row;
    this.#row = undefined;
    if (row === undefined || row.columns.length === 0) return;
    const last = this.#rows.at(-1);
    if (last !== undefined && row.index <= last.index) this.#isAscending = false;
    this.#limits.budget.takeTableCells(row.columns.length);
    // Rows of a table fill the same columns; one list of them serves all.
    const isAlike = last !== undefined && isSameList(last.columns, row.columns);
    this.#rows.push(isAlike ? { index: row.index, columns: last.columns, values: row.values } : row);
  }

  /** Rows come one after another through `startRow`. Empty and blank values are no cells. */
  addCell(column: number, value: CellValue): void {
    const row = this.#row;
    if (row === undefined || this.#hiddenColumns.has(column)) {
      if (value.length > 0) this.hiddenCellCount++;
      return;
    }
    if (isBlank(value) || column >= maxSheetColumns) return;
    if (column <= (row.columns.at(-1) ?? -1)) this.#isAscending = false;
    row.columns.push(column);
    row.values.push(value);
    this.#takeCharacters(typeof value === "string" ? value.length : 64);
  }

  #takeCharacters(count: number): void {
    this.#limits.characters += count;
    if (this.#limits.characters > this.#limits.budget.limits.maxOutputBytes) {
      throw new AppError("OUTPUT_TOO_LARGE", { detail: "Its cells have more text than one answer may have." });
    }
  }

  addMerge(range: CellRange): void {
    if (range.lastRow > range.firstRow || range.lastColumn > range.firstColumn) this.#merges.push(range);
  }

  addTable(table: DeclaredTable): void {
    this.#tables.push(table);
  }

  addLink(row: number, column: number, target: string): void {
    this.#links.set(cellKey(row, column), target);
  }

  addNote(row: number, column: number, blocks: readonly Block[]): void {
    if (blocks.length > 0) this.#notes.set(cellKey(row, column), blocks);
  }

  addFloating(floating: FloatingBlocks): void {
    if (floating.blocks.length > 0) this.#floating.push(floating);
  }

  finish(): Sheet {
    this.endRow();
    const rows = this.#isAscending ? this.#rows : sortRows(this.#rows);
    const visibility = new Visibility(this.#hiddenRows, this.#hiddenColumns);
    return {
      name: this.name,
      rows: visibility.isAll ? rows : rows.map((row) => visibility.row(row)),
      merges: this.#merges.flatMap((range) => visibility.range(range) ?? []),
      tables: this.#tables.flatMap((table) => {
        const range = visibility.range(table.range);
        return range === undefined ? [] : [{ ...table, range }];
      }),
      links: visibility.keys(this.#links),
      notes: visibility.keys(this.#notes),
      floating: this.#floating.map((floating) => ({
        ...floating,
        row: visibility.rowBefore(floating.row),
        column: visibility.columnBefore(floating.column),
      })),
    };
  }
}

function isBlank(value: CellValue): boolean {
  if (value.length === 0) return true;
  if (typeof value !== "string") return false;
  const first = value.charCodeAt(0);
  return (first <= 0x20 || first >= 0xa0) && value.trim() === "";
}

function isSameList(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

// Files of careless programs repeat or shuffle rows and cells; the last value of a cell counts.
function sortRows(rows: readonly SheetRow[]): SheetRow[] {
  const byIndex = new Map<number, Map<number, CellValue>>();
  for (const { index, columns, values } of rows) {
    const cells = byIndex.get(index) ?? new Map<number, CellValue>();
    columns.forEach((column, at) => cells.set(column, values[at] as CellValue));
    byIndex.set(index, cells);
  }
  return [...byIndex]
    .sort(([a], [b]) => a - b)
    .map(([index, cells]) => {
      const sorted = [...cells].sort(([a], [b]) => a - b);
      return { index, columns: sorted.map(([column]) => column), values: sorted.map(([, value]) => value) };
    });
}

/** Renumbers places so that hidden rows and columns leave no gap. */
class Visibility {
  readonly isAll: boolean;
  readonly #hiddenRows: readonly number[];
  readonly #hiddenColumns: readonly number[];

  constructor(hiddenRows: readonly number[], hiddenColumns: ReadonlySet<number>) {
    this.#hiddenRows = [...new Set(hiddenRows)].sort((a, b) => a - b);
    this.#hiddenColumns = [...hiddenColumns].sort((a, b) => a - b);
    this.isAll = this.#hiddenRows.length === 0 && this.#hiddenColumns.length === 0;
  }

  /** Visible rows above this one. */
  rowBefore(row: number): number {
    return row - countBelow(this.#hiddenRows, row);
  }

  columnBefore(column: number): number {
    return column - countBelow(this.#hiddenColumns, column);
  }

  row({ index, columns, values }: SheetRow): SheetRow {
    return { index: this.rowBefore(index), columns: columns.map((column) => this.columnBefore(column)), values };
  }

  range(range: CellRange): CellRange | undefined {
    if (this.isAll) return range;
    const visible = {
      firstRow: this.rowBefore(range.firstRow),
      lastRow: this.rowBefore(range.lastRow + 1) - 1,
      firstColumn: this.columnBefore(range.firstColumn),
      lastColumn: this.columnBefore(range.lastColumn + 1) - 1,
    };
    return visible.lastRow < visible.firstRow || visible.lastColumn < visible.firstColumn ? undefined : visible;
  }

  keys<TValue>(map: ReadonlyMap<number, TValue>): ReadonlyMap<number, TValue> {
    if (this.isAll || map.size === 0) return map;
    const visible = new Map<number, TValue>();
    for (const [key, value] of map) {
      const row = Math.floor(key / maxSheetColumns);
      const column = key % maxSheetColumns;
      const isHidden =
        this.rowBefore(row + 1) === this.rowBefore(row) || this.columnBefore(column + 1) === this.columnBefore(column);
      if (!isHidden) visible.set(cellKey(this.rowBefore(row), this.columnBefore(column)), value);
    }
    return visible;
  }
}

function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
