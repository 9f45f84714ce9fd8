import type { Block, Inline } from "../document/document.ts";

/** Text of a cell as it is shown; runs of inlines where a plain string cannot say it. Never empty. */
export type CellValue = string | readonly Inline[];

/** Zero-based; `last` is included. */
export interface CellRange {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

/** The filled cells of one row, by ascending column. */
export interface SheetRow {
  readonly index: number;
  readonly columns: number[];
  readonly values: CellValue[];
}

/** A range that the file itself declares to be a table. */
export interface DeclaredTable {
  readonly range: CellRange;
  readonly headerRowCount: number;
}

/** What stands on a sheet but not in a cell: text boxes, pictures, charts. */
export interface FloatingBlocks {
  readonly row: number;
  readonly column: number;
  readonly blocks: readonly Block[];
}

/** One sheet without its hidden parts, whatever format it came from. Rows and columns count visible ones only. */
export interface Sheet {
  readonly name: string;
  /** Ascending by index; only rows with filled cells. */
  readonly rows: readonly SheetRow[];
  readonly merges: readonly CellRange[];
  readonly tables: readonly DeclaredTable[];
  readonly links: ReadonlyMap<number, string>;
  readonly notes: ReadonlyMap<number, readonly Block[]>;
  readonly floating: readonly FloatingBlocks[];
}

export const maxSheetColumns = 16_384;
export const maxSheetRows = 1_048_576;

/** One number for the place of a cell. */
export function cellKey(row: number, column: number): number {
  return row * maxSheetColumns + column;
}
