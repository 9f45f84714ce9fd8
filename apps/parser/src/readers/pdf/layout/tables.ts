import type { Box } from "../page-content.ts";
import { countLetters } from "../count-letters.ts";
import type { Line } from "./line.ts";
import type { PageLines } from "./page-lines.ts";
import { readLattice } from "./read-lattice.ts";
import { isChart, isOpenTable, isRuledTable } from "./is-plausible-table.ts";
import { type ReadTable, readTable } from "./read-table.ts";
import { isCaptionLine } from "./table-caption-line.ts";
import { isCentredIn, type TableFrame } from "./table-frame.ts";
import { findTableFrames, type TablePage } from "./table-frames.ts";
import { findLattices, type Lattice } from "./table-lattice.ts";
import { findProse } from "./table-prose.ts";
import { joinRules } from "./table-rules.ts";
import { boxOf, readTaggedTables, type TaggedTable } from "./tagged-tables.ts";
import { hasTableSigns } from "./table-signs.ts";
import { findTableZones } from "./table-zones.ts";
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

/** Finds the tables of a page, and takes their lines away from the rest. */
export function findTables(page: PageLines, lines: readonly Line[], vocabulary: ReadonlySet<string>): TablesAndRest {
  const tables: TableArea[] = [];
  let rest = lines;
  const take = (area: TableArea, inside: readonly Line[]): void => {
    tables.push(area);
    const taken = new Set(inside);
    rest = rest.filter((line) => !taken.has(line));
  };
  for (const table of readTaggedTables(rest, vocabulary)) take(toTaggedArea(table), table.lines);
  const tablePage = toTablePage(page, rest);
  if (tablePage === undefined) return { tables, rest };
  for (const lattice of findLattices(tablePage.rules, rest)) {
    const inside = rest.filter((line) => isCentredIn(line, lattice));
    const table =
      isText(inside, lattice, tablePage) || isFigure(inside) ? undefined : readLattice(lattice, inside, vocabulary);
    if (table !== undefined && !isChart(table)) take(toArea(table, lattice, inside), inside);
  }
  const takeFrames = (
    frames: readonly TableFrame[],
    isTable: (table: ReadTable, frame: TableFrame) => boolean,
  ): void => {
    for (const frame of frames) {
      const inside = rest.filter((line) => isCentredIn(line, frame));
      const table = isFigure(inside) ? undefined : readTable(frame, inside, vocabulary);
      if (table !== undefined && isTable(table, frame)) take(toArea(table, frame, inside), inside);
    }
  };
  takeFrames(findTableFrames({ ...tablePage, lines: rest }), isRuledTable);
  takeFrames(findTableZones({ ...tablePage, lines: rest }), (table, frame) => isOpenTable(table, frame, page.pictures));
  return { tables, rest };
}

function toTablePage(page: PageLines, lines: readonly Line[]): TablePage | undefined {
  const pictures = new Set(page.pictures.map(keyOf));
  const shades = page.shades.filter((shade) => !pictures.has(keyOf(shade)));
  const rules = joinRules(page.rules, shades);
  const captions = lines.filter(isCaptionLine);
  return hasTableSigns(lines, rules, captions)
    ? { lines, rules, prose: findProse(lines, page.width), captions }
    : undefined;
}

function keyOf({ left, top, right, bottom }: Box): string {
  return `${left} ${top} ${right} ${bottom}`;
}

// Boxes around running text are layout, not cells.
function isText(inside: readonly Line[], { regions, xs }: Lattice, { prose }: TablePage): boolean {
  const text = inside.filter((line) => prose.has(line));
  if (xs.length === 2 && text.length > 1) return true;
  return text.length > inside.length * 0.8 && regions.length < 6;
}

// The lines of a drawing are no grid, when the file says that it is one.
function isFigure(inside: readonly Line[]): boolean {
  return inside.length > 0 && inside.every(({ words }) => words[0]?.style.tag?.isFigure === true);
}

function toTaggedArea({ rows, headerRowCount, lines }: TaggedTable): TableArea {
  const box = boxOf(lines);
  return { ...box, table: { kind: "table", rows, headerRowCount, letterCount: lettersOf(lines), ...box } };
}

function toArea(
  { rows, headerRowCount }: ReadTable,
  { left, top, right, bottom }: Box,
  lines: readonly Line[],
): TableArea {
  const box = { left, top, right, bottom };
  return { ...box, table: { kind: "table", rows, headerRowCount, letterCount: lettersOf(lines), ...box } };
}

function lettersOf(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + line.words.reduce((count, { text }) => count + countLetters(text), 0), 0);
}
