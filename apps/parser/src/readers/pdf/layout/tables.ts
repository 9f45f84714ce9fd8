import type { Box } from "../page-content.ts";
import { countLetters } from "../count-letters.ts";
import type { Line } from "./line.ts";
import type { PageLines } from "./page-lines.ts";
import { findColumnEdges } from "./table-columns.ts";
import { toTableRow } from "./table-cells.ts";
import { findTableFrames, isCentredIn, type TableFrame } from "./table-frames.ts";
import { findVisualRows, groupRows, type VisualRow } from "./table-rows.ts";
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

/** Finds the tables of a page by their ruling lines, and takes their lines away from the rest. */
export function findTables(page: PageLines, lines: readonly Line[], vocabulary: ReadonlySet<string>): TablesAndRest {
  const tables: TableArea[] = [];
  let rest = lines;
  for (const frame of findTableFrames(page.rules, lines)) {
    const inside = rest.filter((line) => isCentredIn(line, frame));
    const table = readTable(frame, inside, vocabulary);
    if (table === undefined) continue;
    tables.push(table);
    const taken = new Set(inside);
    rest = rest.filter((line) => !taken.has(line));
  }
  return { tables, rest };
}

function readTable(frame: TableFrame, lines: readonly Line[], vocabulary: ReadonlySet<string>): TableArea | undefined {
  const visual = findVisualRows(lines);
  const edges = findColumnEdges(
    frame,
    visual.map(({ chunks }) => chunks),
  );
  if (visual.length < 2 || edges.length === 0) return undefined;
  const groups = groupRows(visual, frame, edges);
  // Two rows between bare lines are more often labels around a figure than a table.
  const isMarked = frame.uprights.length > 1 || frame.hasCaption || frame.crossLines.length > 2;
  if (groups.length < (isMarked ? 2 : 3)) return undefined;
  const rows = groups.map((group) => toTableRow(group, edges, vocabulary));
  const table = {
    kind: "table",
    rows,
    headerRowCount: countHeaderRows(groups, frame),
    letterCount: lettersOf(lines),
  } as const;
  const { left, top, right, bottom } = frame;
  return { left, top, right, bottom, table: { ...table, left, top, right, bottom } };
}

const maxHeaderRows = 4;

// The rows above the first line under the top, when they are few; otherwise the first row.
function countHeaderRows(groups: readonly (readonly VisualRow[])[], { crossLines }: TableFrame): number {
  const second = crossLines[1] ?? Infinity;
  const above = groups.filter((group) => (group.at(-1)?.baseline ?? Infinity) <= second + 1).length;
  return above > 0 && above <= maxHeaderRows && above < groups.length ? above : 1;
}

function lettersOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.words.reduce((count, { text }) => count + countLetters(text), 0), 0);
}
