import type { CellRange, Sheet, SheetRow } from "./sheet.ts";

/** A rectangle of cells that belong together: one table, or some text. */
export interface Region extends CellRange {
  /** Set for tables that the file declares. */
  readonly headerRowCount?: number;
}

/** Islands past this many are not told apart: the sheet is cut at its empty rows only. */
const maxIslands = 500;

/**
 * The rectangles of a sheet that empty rows and columns divide, from the top, then from the left.
 *
 * Filled cells that touch by an edge are one island; islands whose rectangles overlap or lie edge to edge are one region,
 * so that gaps inside a table do not break it. Rectangles that meet only at a corner stay apart.
 */
export function findRegions(sheet: Sheet): Region[] {
  const declared = sheet.tables.slice(0, maxIslands).map(({ range, headerRowCount }) => ({ ...range, headerRowCount }));
  const islands = findIslands(sheet, declared);
  const regions = islands.length > maxIslands ? findBands(sheet) : joinLabels(joinBoxes(islands));
  const all = islands.length > maxIslands ? regions : [...regions, ...declared];
  return all.sort((a, b) => a.firstRow - b.firstRow || a.firstColumn - b.firstColumn);
}

interface Box {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

/** Filled cells side by side in one row. */
interface Piece {
  readonly first: number;
  readonly last: number;
}

interface Run extends Piece {
  readonly island: Island;
  readonly isNew: boolean;
}

/** Islands that turned out to be one point to each other; the one that points nowhere holds the box. */
interface Island {
  readonly box: Box;
  mergedInto?: Island;
}

function findIslands(sheet: Sheet, declared: readonly Region[]): Box[] {
  const islands: Island[] = [];
  const spans = groupSpans(sheet);
  let above: readonly Run[] = [];
  let aboveIndex = -2;
  for (const row of sheet.rows) {
    const pieces = runsOf(row, spans.get(row.index), declared);
    const runs = placeRuns(pieces, row.index, aboveIndex === row.index - 1 ? above : []);
    for (const { island, isNew } of runs) if (isNew) islands.push(island);
    above = runs;
    aboveIndex = row.index;
  }
  return islands.filter(({ mergedInto }) => mergedInto === undefined).map(({ box }) => box);
}

// Both lists ascend, so one pass over them finds every pair that shares a column.
function placeRuns(pieces: readonly Piece[], row: number, above: readonly Run[]): Run[] {
  let at = 0;
  return pieces.map(({ first, last }) => {
    while (at < above.length && (above[at] as Run).last < first) at++;
    let island: Island | undefined;
    for (let other = at; other < above.length && (above[other] as Run).first <= last; other++) {
      const root = rootOf((above[other] as Run).island);
      island = island === undefined ? root : unite(island, root);
    }
    const box = { firstRow: row, lastRow: row, firstColumn: first, lastColumn: last };
    if (island === undefined) return { first, last, island: { box }, isNew: true };
    extend(island.box, box);
    return { first, last, island, isNew: false };
  });
}

// Merged cells whose text stands in their first cell count as filled, in rows that have any cell.
function groupSpans(sheet: Sheet): ReadonlyMap<number, CellRange[]> {
  const spans = new Map<number, CellRange[]>();
  for (const merge of sheet.merges) {
    for (let row = merge.firstRow; row <= merge.lastRow; row++) {
      const list = spans.get(row);
      if (list === undefined) spans.set(row, [merge]);
      else list.push(merge);
    }
  }
  return spans;
}

function runsOf(row: SheetRow, spans: readonly CellRange[] | undefined, declared: readonly Region[]): Piece[] {
  const first = row.columns[0] ?? 0;
  const last = row.columns.at(-1) ?? 0;
  const isWhole = last - first + 1 === row.columns.length;
  if (isWhole && spans === undefined && declared.length === 0) return [{ first, last }];
  const pieces: Piece[] = row.columns.map((column) => ({ first: column, last: column }));
  for (const span of spans ?? []) pieces.push({ first: span.firstColumn, last: span.lastColumn });
  if (spans !== undefined) pieces.sort((a, b) => a.first - b.first);
  return joinPieces(withoutDeclared(pieces, row.index, declared));
}

function withoutDeclared(pieces: readonly Piece[], row: number, declared: readonly Region[]): readonly Piece[] {
  const tables = declared.filter(({ firstRow, lastRow }) => firstRow <= row && row <= lastRow);
  if (tables.length === 0) return pieces;
  return pieces.filter(
    ({ first }) => !tables.some(({ firstColumn, lastColumn }) => firstColumn <= first && first <= lastColumn),
  );
}

function joinPieces(pieces: readonly Piece[]): Piece[] {
  const runs: { first: number; last: number }[] = [];
  for (const piece of pieces) {
    const run = runs.at(-1);
    if (run !== undefined && piece.first <= run.last + 1) run.last = Math.max(run.last, piece.last);
    else runs.push({ ...piece });
  }
  return runs;
}

function rootOf(island: Island): Island {
  let root = island;
  while (root.mergedInto !== undefined) root = root.mergedInto;
  if (island !== root) island.mergedInto = root;
  return root;
}

function unite(a: Island, b: Island): Island {
  if (a === b) return a;
  extend(a.box, b.box);
  b.mergedInto = a;
  return a;
}

function extend(box: Box, other: CellRange): void {
  box.firstRow = Math.min(box.firstRow, other.firstRow);
  box.lastRow = Math.max(box.lastRow, other.lastRow);
  box.firstColumn = Math.min(box.firstColumn, other.firstColumn);
  box.lastColumn = Math.max(box.lastColumn, other.lastColumn);
}

function joinBoxes(islands: readonly Box[]): Box[] {
  const joined: Box[] = [];
  for (const island of islands) {
    let box = island;
    for (
      let at = joined.findIndex((other) => touches(other, box));
      at !== -1;
      at = joined.findIndex((other) => touches(other, box))
    ) {
      const [other] = joined.splice(at, 1) as [Box];
      extend(other, box);
      box = other;
    }
    joined.push(box);
  }
  return joined;
}

function touches(a: CellRange, b: CellRange): boolean {
  const rowGap = Math.max(a.firstRow, b.firstRow) - Math.min(a.lastRow, b.lastRow);
  const columnGap = Math.max(a.firstColumn, b.firstColumn) - Math.min(a.lastColumn, b.lastColumn);
  return (rowGap <= 0 && columnGap <= 1) || (rowGap <= 1 && columnGap <= 0);
}

// Forms set labels, units and values apart by one narrow empty column; cut there, no value would have its label.
function joinLabels(boxes: readonly Box[]): Box[] {
  const sorted = boxes.toSorted((a, b) => a.firstRow - b.firstRow || a.firstColumn - b.firstColumn);
  const joined: Box[] = [];
  for (const box of sorted) {
    const left = joined.at(-1);
    if (left !== undefined && isLabelOf(left, box)) extend(left, box);
    else joined.push({ ...box });
  }
  return joined;
}

function isLabelOf(left: CellRange, right: CellRange): boolean {
  const isSameRows = left.firstRow === right.firstRow && left.lastRow === right.lastRow && left.lastRow > left.firstRow;
  const isNarrow = left.firstColumn === left.lastColumn || right.firstColumn === right.lastColumn;
  return isSameRows && isNarrow && right.firstColumn === left.lastColumn + 2;
}

function findBands(sheet: Sheet): Box[] {
  const bands: Box[] = [];
  for (const { index, columns } of sheet.rows) {
    const row = { firstRow: index, lastRow: index, firstColumn: columns[0] ?? 0, lastColumn: columns.at(-1) ?? 0 };
    const band = bands.at(-1);
    if (band !== undefined && index <= band.lastRow + 1) extend(band, row);
    else bands.push(row);
  }
  return bands;
}
