import type { Box } from "../page-content.ts";
import type { Line } from "./line.ts";
import type { PageLines } from "./page-lines.ts";
import type { PlacedTable } from "./to-blocks.ts";

/** A table and the place it takes in the reading order. */
export interface TableArea extends Box {
  readonly table: Omit<PlacedTable, "page">;
}

export interface TablesAndRest {
  readonly tables: readonly TableArea[];
  /** Lines that belong to no table. */
  readonly rest: readonly Line[];
}

export function findTables(page: PageLines, lines: readonly Line[], vocabulary: ReadonlySet<string>): TablesAndRest {
  void page;
  void vocabulary;
  return { tables: [], rest: lines };
}
