import type { Line } from "./line.ts";
import { type Chunk, columnsOf, toChunks } from "./table-columns.ts";
import type { TableFrame } from "./table-frames.ts";
import { findRows } from "./text-block.ts";

/** Words on one baseline within a table. */
export interface VisualRow {
  readonly baseline: number;
  readonly size: number;
  readonly chunks: readonly Chunk[];
}

/** The rows as drawn, top to bottom. */
export function findVisualRows(lines: readonly Line[]): VisualRow[] {
  return findRows(lines).map((row) => ({
    baseline: (row[0] as Line).baseline,
    size: Math.max(...row.map((line) => line.size)),
    chunks: toChunks(row.flatMap((line) => line.words)),
  }));
}

/** Groups drawn rows into rows of the table: cells of several lines make one. */
export function groupRows(rows: readonly VisualRow[], frame: TableFrame, edges: readonly number[]): VisualRow[][] {
  const bands = bandsOf(rows, frame);
  if (isRuledRowByRow(bands, rows, frame)) return bands;
  return bands.flatMap((band, index) => groupBand(band, edges, index === 0 && bands.length > 1));
}

// What stands between two lines that go from side to side.
function bandsOf(rows: readonly VisualRow[], { crossLines }: TableFrame): VisualRow[][] {
  const bands: VisualRow[][] = [];
  let line = -1;
  for (const row of rows) {
    const above = crossLines.filter((height) => height < row.baseline - row.size * 0.3).length;
    if (above === line) bands.at(-1)?.push(row);
    else bands.push([row]);
    line = above;
  }
  return bands;
}

function isRuledRowByRow(bands: readonly VisualRow[][], rows: readonly VisualRow[], frame: TableFrame): boolean {
  return bands.length >= 3 && frame.uprights.length > 1 && bands.length >= rows.length / 5;
}

function groupBand(rows: readonly VisualRow[], edges: readonly number[], isHead: boolean): VisualRow[][] {
  if (isHead && isOneHeading(rows, edges)) return [[...rows]];
  const limit = tightDistance(rows);
  const groups: VisualRow[][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    const above = group?.at(-1);
    const isTight = above !== undefined && limit !== undefined && row.baseline - above.baseline <= limit;
    if (group !== undefined && above !== undefined && (isTight || continuesRow(above, row, edges))) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

// Headings of several lines are one row, unless a heading spans columns that have headings of their own below.
function isOneHeading(rows: readonly VisualRow[], edges: readonly number[]): boolean {
  if (rows.length < 2 || rows.length > 6) return rows.length === 1;
  return rows.every(({ chunks, size }) => chunks.every((chunk) => isWithinOne(chunk, edges, size)));
}

function isWithinOne(chunk: Chunk, edges: readonly number[], size: number): boolean {
  const { first, last } = columnsOf(chunk, edges, size * 0.3);
  return first === last;
}

/** Distances over the tightest by this factor part rows where both kinds are common. */
const looseness = 1.18;

// The largest distance within a cell, where lines of a cell stand closer than rows; undefined where all stand alike.
function tightDistance(rows: readonly VisualRow[]): number | undefined {
  const distances = rows.slice(1).map((row, index) => row.baseline - (rows[index] as VisualRow).baseline);
  const sorted = distances.toSorted((a, b) => a - b);
  const tightest = sorted[Math.floor(sorted.length * 0.1)];
  if (tightest === undefined) return undefined;
  const limit = tightest * looseness;
  const tight = sorted.filter((distance) => distance <= limit).length;
  return tight >= sorted.length * 0.15 && tight <= sorted.length * 0.85 && sorted.length > 2 ? limit : undefined;
}

// A row without a first cell whose texts go on from those above, or a lone cell that goes on in lower case.
function continuesRow(above: VisualRow, row: VisualRow, edges: readonly number[]): boolean {
  const distance = row.baseline - above.baseline;
  // Cells set in the middle of their row stand between the lines of their neighbours.
  if (distance < row.size * 0.8) return true;
  if (distance > row.size * 1.6) return false;
  const columns = row.chunks.map((chunk) => columnsOf(chunk, edges, row.size * 0.3).first);
  const taken = new Set(above.chunks.map((chunk) => columnsOf(chunk, edges, row.size * 0.3).first));
  const startsLower = row.chunks.every((chunk) => /^[\p{Ll}(]/u.test(chunk.words[0]?.text ?? ""));
  if (!columns.includes(0))
    return (
      edges.length > 0 &&
      columns.every((column) => taken.has(column)) &&
      row.chunks.length < above.chunks.length &&
      (startsLower || edges.length < 3)
    );
  return columns.length < above.chunks.length && startsLower && above.chunks.length > 1;
}
