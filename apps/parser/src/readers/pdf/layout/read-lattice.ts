import type { Line } from "./line.ts";
import type { ReadTable } from "./read-table.ts";
import { cellsOf, type PlacedCell, toTableRows } from "./table-cells.ts";
import { findColumnEdges } from "./table-columns.ts";
import { type GroupedRows, groupRows } from "./table-groups.ts";
import type { Lattice, Region } from "./table-lattice.ts";
import { findVisualRows, type PlacedRow } from "./table-rows.ts";
import type { Word } from "./word.ts";

/** Reads the text within a grid as a table; undefined where its lines do not part the text into rows and columns. */
export function readLattice(
  lattice: Lattice,
  lines: readonly Line[],
  vocabulary: ReadonlySet<string>,
): ReadTable | undefined {
  const edges = lattice.xs.slice(1, -1);
  const placed = findVisualRows(lines).map((row) => placeWords(row, edges));
  if (placed.length < (lattice.isClosed ? 1 : 2) || hasMoreColumns(lattice, lines)) return undefined;
  const bands = bandsOf(placed, lattice);
  const columnCount = edges.length + 1;
  const crossed = crossedRows(lattice.regions);
  const cells: PlacedCell[] = [];
  /** First row of the table for each band. */
  const starts: number[] = [];
  let rowCount = 0;
  for (const [index, band] of bands.entries()) {
    starts.push(rowCount);
    const isWhole = band.length >= placed.length * minUnruledShare;
    const grouped = crossed[index] === 1 ? undefined : drawnRows(band, lattice, { index, isWhole });
    if (grouped !== undefined) cells.push(...cellsOf(grouped, rowCount, columnCount));
    const groups = grouped?.groups.length ?? 1;
    rowCount += groups;
  }
  starts.push(rowCount);
  const regions = lattice.regions.filter(
    ({ row, rowSpan }) => rowSpan > 1 || (starts[row + 1] as number) - (starts[row] as number) === 1,
  );
  cells.push(...regionCells(regions, bands, starts));
  if (!(lattice.isClosed ? isForm(cells, columnCount) : isFilled(cells, lattice))) return undefined;
  const rows = toTableRows(cells, { rowCount, columnCount, vocabulary });
  return { rows, headerRowCount: countHeaderRows(cells, { rowCount, columnCount }), columnCount, placed, edges };
}

// Lines part words here, however close they stand.
function placeWords(row: ReturnType<typeof findVisualRows>[number], edges: readonly number[]): PlacedRow {
  const words = row.chunks.flatMap((chunk) => chunk.words);
  const columns: Word[][] = [];
  for (const word of words) {
    const middle = (word.left + word.right) / 2;
    let column = 0;
    while (column < edges.length && (edges[column] as number) < middle) column++;
    const known = columns[column];
    if (known === undefined) columns[column] = [word];
    else known.push(word);
  }
  const chunks = columns.flatMap((own, column) => {
    const left = Math.min(...own.map((word) => word.left));
    const right = Math.max(...own.map((word) => word.right));
    const [top, bottom] = [(own[0] as Word).top, (own[0] as Word).bottom];
    return [{ words: own, left, right, top, bottom, first: column, last: column }];
  });
  return { baseline: row.baseline, size: row.size, pieces: chunks };
}

// Few lines among many columns only part groups of columns.
function hasMoreColumns({ left, top, right, bottom, xs }: Lattice, lines: readonly Line[]): boolean {
  const frame = {
    left,
    top,
    right,
    bottom,
    crossLines: [],
    partLines: [],
    uprights: [],
    joints: [],
    hasCaption: false,
  };
  const rows = findVisualRows(lines).map(({ chunks }) => chunks);
  const white = findColumnEdges(
    frame,
    rows.filter((row) => row.length > 1),
  );
  return white.length > 1 && xs.length - 2 < white.length * 0.6;
}

function bandsOf(rows: readonly PlacedRow[], { ys }: Lattice): PlacedRow[][] {
  const bands: PlacedRow[][] = Array.from({ length: ys.length - 1 }, () => []);
  let band = 0;
  for (const row of rows) {
    const middle = row.baseline - row.size * 0.3;
    while (band + 1 < bands.length && (ys[band + 1] as number) < middle) band++;
    bands[band]?.push(row);
  }
  return bands;
}

// Rows of the grid that share a cell with their neighbours.
function crossedRows(regions: readonly Region[]): Uint8Array {
  const crossed = new Uint8Array(Math.max(0, ...regions.map(({ row, rowSpan }) => row + rowSpan)));
  for (const { row, rowSpan } of regions) if (rowSpan > 1) crossed.fill(1, row, row + rowSpan);
  return crossed;
}

/** Only where most of the text stands between two lines of the grid are rows looked for there. */
const minUnruledShare = 0.6;
/** Fewer lines of text between two lines of the grid are one row. */
const minUnruledRows = 3;

// Rows without lines between them: every line of text is a row of its own.
function drawnRows(
  band: readonly PlacedRow[],
  { regions, xs }: Lattice,
  { index, isWhole }: { index: number; isWhole: boolean },
): GroupedRows | undefined {
  const own = regions.filter(({ row }) => row === index);
  if (band.length < 2 || own.some(({ columnSpan }) => columnSpan > 1)) return undefined;
  const grouped = groupRows(
    band,
    xs.slice(1).map((_, column) => widestOf(band, column)),
  );
  const { groups } = grouped;
  if (groups.length < 2 || groups.some((group) => group.length > 1)) return undefined;
  const rows = groups.flat();
  if (rows.every(isOfNumbers)) return grouped;
  const isFull = rows.every(({ pieces }) => pieces.length >= Math.max(2, (xs.length - 1) * 0.6));
  return isWhole && isFull && rows.length >= minUnruledRows ? grouped : undefined;
}

// Several numbers beside one another are data of one row.
function isOfNumbers({ pieces }: PlacedRow): boolean {
  const numbers = pieces.filter(({ words }) => /^[^\p{L}]*\d[^\p{L}]*$/u.test(words.map(({ text }) => text).join("")));
  return numbers.length >= 3;
}

function widestOf(rows: readonly PlacedRow[], column: number): number {
  let widest = 0;
  for (const { pieces } of rows)
    for (const { first, left, right } of pieces) if (first === column) widest = Math.max(widest, right - left);
  return widest;
}

function regionCells(
  regions: readonly Region[],
  bands: readonly (readonly PlacedRow[])[],
  starts: readonly number[],
): PlacedCell[] {
  return regions.map(({ row, rowSpan, column, columnSpan }) => {
    const lines = bands.slice(row, row + rowSpan).flatMap((band) =>
      band.flatMap(({ pieces }) => {
        const words = pieces
          .filter(({ first }) => first >= column && first < column + columnSpan)
          .flatMap((piece) => piece.words);
        return words.length === 0 ? [] : [words];
      }),
    );
    const start = starts[row] as number;
    return { row: start, rowSpan: (starts[row + rowSpan] as number) - start, column, columnSpan, lines };
  });
}

// Text stands in two rows and two columns at least, and the grid is no chart.
function isFilled(cells: readonly PlacedCell[], { xs, isHeadedAndFooted }: Lattice): boolean {
  const columnCount = xs.length - 1;
  const filled = cells.filter(({ lines }) => lines.length > 0);
  const rows = new Set(filled.map(({ row }) => row));
  const columns = new Set(filled.filter(({ columnSpan }) => columnSpan < columnCount).map(({ column }) => column));
  const minShare = isHeadedAndFooted || columnCount < 3 ? 0.2 : 0.5;
  return rows.size > 1 && columns.size > 1 && filled.length >= cells.length * minShare;
}

/** A cell of a table of one column holds no more lines than this; others are boxes around text. */
const maxBoxedLines = 12;

// A grid with lines all around is a table though a row or a column of it be empty.
function isForm(cells: readonly PlacedCell[], columnCount: number): boolean {
  const filled = cells.filter(({ lines }) => lines.length > 0);
  const rows = new Set(cells.map(({ row }) => row));
  if (rows.size < 2) return false;
  if (columnCount === 1)
    return filled.length === cells.length && filled.every(({ lines }) => lines.length <= maxBoxedLines);
  const isWide =
    new Set(filled.filter(({ columnSpan }) => columnSpan < columnCount).map(({ column }) => column)).size > 1;
  return isWide ? filled.length >= cells.length * 0.2 : filled.length > 1 && filled.length >= cells.length * 0.4;
}

const maxHeaderRows = 4;

/** Rows at the head of a table, as far as the spans of their cells tell. */
export function countHeaderRows(
  cells: readonly PlacedCell[],
  { rowCount, columnCount }: { rowCount: number; columnCount: number },
): number {
  const first = cells.filter(({ row }) => row === 0);
  const isTitled = columnCount > 1 && first.length === 1 && (first[0] as PlacedCell).columnSpan === columnCount;
  const spans = first.some(({ columnSpan }) => columnSpan > 1);
  const depth = Math.max(1, ...first.filter(({ lines }) => lines.length > 0).map(({ rowSpan }) => rowSpan));
  const count = depth > 1 ? depth : isTitled || spans ? 2 : 1;
  return count <= maxHeaderRows && count < rowCount ? count : 1;
}
