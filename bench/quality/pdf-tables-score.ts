import type { Table } from "../../apps/parser/src/document/document.ts";
import { documentText } from "../../apps/parser/src/document/document-text.ts";

/** A cell at its place in the grid, its text without what typesetting changes. */
export interface GridCell {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
}

export interface Grid {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly cells: readonly GridCell[];
}

export interface RawCell {
  readonly text: string;
  readonly rowSpan: number;
  readonly columnSpan: number;
}

/** Places cells as HTML does: what a span covers has no cell of its own. */
export function toGrid(rows: readonly (readonly RawCell[])[]): Grid {
  const taken = new Set<string>();
  const cells: GridCell[] = [];
  let columnCount = 0;
  for (const [row, raw] of rows.entries()) {
    let column = 0;
    for (const cell of raw) {
      while (taken.has(`${row} ${column}`)) column++;
      const rowSpan = Math.max(1, Math.min(cell.rowSpan, rows.length - row));
      const columnSpan = Math.max(1, Math.min(cell.columnSpan, 200));
      for (const place of placesOf({ row, column, rowSpan, columnSpan })) taken.add(place);
      cells.push({ text: normalise(cell.text), row, column, rowSpan, columnSpan });
      column += columnSpan;
      columnCount = Math.max(columnCount, column);
    }
  }
  return { rowCount: rows.length, columnCount, cells };
}

export function gridOf(table: Table): Grid {
  return toGrid(
    table.rows.map((row) =>
      row.map((cell) =>
        typeof cell === "string"
          ? { text: cell, rowSpan: 1, columnSpan: 1 }
          : {
              text: [...documentText([cell as never])].join(" "),
              rowSpan: cell.rowSpan ?? 1,
              columnSpan: cell.columnSpan ?? 1,
            },
      ),
    ),
  );
}

function placesOf({ row, column, rowSpan, columnSpan }: Omit<GridCell, "text">): string[] {
  const places: string[] = [];
  for (let y = 0; y < rowSpan; y++) for (let x = 0; x < columnSpan; x++) places.push(`${row + y} ${column + x}`);
  return places;
}

/** Letters and digits only, where there are any: spaces, dashes and signs are the typesetter's. */
function normalise(text: string): string {
  const plain = text.normalize("NFKC").toLowerCase();
  const letters = plain.replace(/[^\p{L}\p{N}]/gu, "");
  return letters === "" ? plain.replace(/\s/g, "").replace(/[‐-―−]/g, "-") : letters;
}

/**
 * Pairs of neighbours, after Göbel et al., “A methodology for evaluating algorithms for table understanding in PDF
 * documents” (2012): of every cell with text, the next such cell to the right in each of its rows, and the next one below.
 */
export function relations(grid: Grid): Map<string, number> {
  const places = new Map<string, GridCell>();
  const filled = grid.cells.filter(({ text }) => text !== "");
  for (const cell of filled) for (const place of placesOf(cell)) places.set(place, cell);
  const found = new Map<string, number>();
  const add = (kind: string, a: GridCell, b: GridCell): void => {
    const key = `${kind} ${a.text} | ${b.text}`;
    found.set(key, (found.get(key) ?? 0) + 1);
  };
  for (const cell of filled) {
    const right = new Set<GridCell>();
    for (let y = 0; y < cell.rowSpan; y++) {
      const next = firstOf(grid.columnCount, cell.column + cell.columnSpan, (x) => places.get(`${cell.row + y} ${x}`));
      if (next !== undefined) right.add(next);
    }
    const below = new Set<GridCell>();
    for (let x = 0; x < cell.columnSpan; x++) {
      const next = firstOf(grid.rowCount, cell.row + cell.rowSpan, (y) => places.get(`${y} ${cell.column + x}`));
      if (next !== undefined) below.add(next);
    }
    for (const other of right) add("→", cell, other);
    for (const other of below) add("↓", cell, other);
  }
  return found;
}

function firstOf(end: number, from: number, cellAt: (at: number) => GridCell | undefined): GridCell | undefined {
  for (let at = from; at < end; at++) {
    const cell = cellAt(at);
    if (cell !== undefined) return cell;
  }
  return undefined;
}

export function countOf(bag: ReadonlyMap<string, number>): number {
  return [...bag.values()].reduce((sum, count) => sum + count, 0);
}

export function shared(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [key, count] of a) sum += Math.min(count, b.get(key) ?? 0);
  return sum;
}

/**
 * Tree edit distance similarity (Zhong et al., “Image-based table recognition”, 2020) over the tree of table, rows and cells.
 * Rows are aligned in order, and cells within aligned rows; that is the edit distance where nothing moves between rows.
 */
export function teds(a: Grid, b: Grid, isStructureOnly: boolean): number {
  const [left, right] = [rowsOf(a), rowsOf(b)];
  const size = (rows: GridCell[][]): number => 1 + rows.reduce((sum, row) => sum + 1 + row.length, 0);
  const rename = (x: GridCell, y: GridCell): number => {
    if (x.rowSpan !== y.rowSpan || x.columnSpan !== y.columnSpan) return 1;
    return isStructureOnly || x.text === y.text ? 0 : textDistance(x.text, y.text);
  };
  const alignRows = (x: GridCell[], y: GridCell[]): number => align(x, y, { cost: () => 1, rename });
  const distance = align(left, right, { cost: (row) => 1 + row.length, rename: alignRows });
  return 1 - distance / Math.max(size(left), size(right));
}

function rowsOf({ rowCount, cells }: Grid): GridCell[][] {
  const rows: GridCell[][] = Array.from({ length: rowCount }, () => []);
  for (const cell of cells) rows[cell.row]?.push(cell);
  return rows;
}

interface Costs<Item> {
  readonly cost: (item: Item) => number;
  readonly rename: (a: Item, b: Item) => number;
}

function align<Item>(a: readonly Item[], b: readonly Item[], { cost, rename }: Costs<Item>): number {
  let above = new Float64Array(b.length + 1);
  for (const [index, item] of b.entries()) above[index + 1] = (above[index] ?? 0) + cost(item);
  for (const item of a) {
    const row = new Float64Array(b.length + 1);
    row[0] = (above[0] ?? 0) + cost(item);
    for (const [index, other] of b.entries()) {
      row[index + 1] = Math.min(
        (above[index + 1] ?? 0) + cost(item),
        (row[index] ?? 0) + cost(other),
        (above[index] ?? 0) + rename(item, other),
      );
    }
    above = row;
  }
  return above[b.length] ?? 0;
}

function textDistance(a: string, b: string): number {
  const [x, y] = [Array.from(a).slice(0, 400), Array.from(b).slice(0, 400)];
  return align(x, y, { cost: () => 1, rename: (p, q) => (p === q ? 0 : 1) }) / Math.max(x.length, y.length);
}
