import type { TableRow } from "../../../document/document.ts";
import type { Line } from "./line.ts";
import { cellsOf, type PlacedCell, toTableRows } from "./table-cells.ts";
import { findColumnEdges } from "./table-columns.ts";
import type { TableFrame } from "./table-frame.ts";
import { groupRows } from "./table-groups.ts";
import { type ColumnExtent, readHeader } from "./table-header.ts";
import { findVisualRows, partAtLines, type PlacedRow, placeRow, type VisualRow } from "./table-rows.ts";

/** A table as it was read from a frame, with what tells whether it is one. */
export interface ReadTable {
  readonly rows: readonly TableRow[];
  readonly headerRowCount: number;
  readonly columnCount: number;
  /** The drawn rows in their columns. */
  readonly placed: readonly PlacedRow[];
  /** Boundaries between columns. */
  readonly edges: readonly number[];
}

/** Reads the text within a frame as a table; undefined where there are no two rows or columns. */
export function readTable(
  frame: TableFrame,
  lines: readonly Line[],
  vocabulary: ReadonlySet<string>,
): ReadTable | undefined {
  const visual = findVisualRows(lines);
  if (visual.length < 2) return undefined;
  const inner = frame.crossLines.filter((at) => at > frame.top + 2 && at < frame.bottom - 2);
  const edges = findEdges(frame, visual, inner);
  if (edges.length === 0) return undefined;
  const placed = visual.map((row) => placeRow(row, edges));
  const bands = partAtLines(placed, frame.crossLines);
  const columns = extentsOf(placed, edges.length + 1);
  const headBands = countHeadBands(bands);
  const head = bands.slice(0, headBands).flat();
  const cells: PlacedCell[] = [];
  let rowCount = 0;
  if (head.length > 0) {
    const header = readHeader(head, {
      columns,
      partLines: [...frame.partLines, ...linesBetween(frame, bands, headBands)],
    });
    cells.push(...header.cells);
    rowCount = header.rowCount;
  }
  const headerRowCount = rowCount;
  const widths = columns.map(({ left, right }) => right - left);
  const isRuled = isRuledRowByRow(bands.slice(headBands), frame);
  for (const band of bands.slice(headBands)) {
    const grouped = isRuled ? { groups: [band], straddlers: [] } : groupRows(band, widths);
    cells.push(...cellsOf(grouped, rowCount, columns.length));
    rowCount += grouped.groups.length;
  }
  if (rowCount < 2) return undefined;
  const rows = toTableRows(cells, { rowCount, columnCount: columns.length, vocabulary });
  return { rows, headerRowCount: Math.max(1, headerRowCount), columnCount: columns.length, placed, edges };
}

function findEdges(frame: TableFrame, visual: readonly VisualRow[], inner: readonly number[]): number[] {
  const [headLine] = inner;
  const body = headLine === undefined ? [] : visual.filter(({ baseline }) => baseline > headLine);
  const isVoting = ({ chunks }: VisualRow): boolean => chunks.length > 1;
  const rows = body.filter(isVoting).length >= 3 ? body : visual;
  const voting = rows.filter((row, index) => isVoting(row) || isBetween(row, rows[index - 1], rows[index + 1]));
  const chunksOf = (some: readonly VisualRow[]): (typeof rows)[number]["chunks"][] => some.map(({ chunks }) => chunks);
  const headings = rows === body ? (visual[visual.length - body.length - 1]?.chunks ?? []) : [];
  return findColumnEdges(frame, chunksOf(voting.length > 0 ? voting : rows), { others: chunksOf(visual), headings });
}

// A cell in the middle of several rows stands alone, so close to its neighbours that it is no row of its own.
function isBetween(row: VisualRow, above: VisualRow | undefined, below: VisualRow | undefined): boolean {
  const isNear = (other: VisualRow | undefined): boolean =>
    other !== undefined && other.chunks.length > 1 && Math.abs(other.baseline - row.baseline) < row.size * 0.85;
  return isNear(above) || isNear(below);
}

function extentsOf(rows: readonly PlacedRow[], count: number): ColumnExtent[] {
  const extents = Array.from({ length: count }, () => ({ left: Infinity, right: -Infinity }));
  for (const { first, last, left, right } of rows.flatMap(({ pieces }) => pieces)) {
    const extent = extents[first];
    if (first !== last || extent === undefined) continue;
    extent.left = Math.min(extent.left, left);
    extent.right = Math.max(extent.right, right);
  }
  return extents;
}

const maxHeaderLines = 8;

// The rows above the first line under the top, when they are few and no data; one more band where headings span columns.
function countHeadBands(bands: readonly (readonly PlacedRow[])[]): number {
  const [first, second] = bands;
  if (first === undefined || bands.length < 2 || first.length > maxHeaderLines || isData(first)) return 0;
  const spans = first.some(({ pieces }) => pieces.some((piece) => piece.first !== piece.last));
  const hasMore = spans && bands.length > 2 && second !== undefined && second.length <= 3 && !isData(second);
  return hasMore ? 2 : 1;
}

function isData(rows: readonly PlacedRow[]): boolean {
  const pieces = rows.flatMap((row) => row.pieces).filter(({ first }) => first > 0);
  const numeric = pieces.filter(({ words }) => /^[^\p{L}]*\d[^\p{L}]*$/u.test(words.map(({ text }) => text).join("")));
  return rows.length > 2 && numeric.length > pieces.length * 0.6;
}

function linesBetween(
  frame: TableFrame,
  bands: readonly (readonly PlacedRow[])[],
  headBands: number,
): { left: number; right: number; top: number; bottom: number }[] {
  if (headBands < 2) return [];
  const end = bands[headBands - 1]?.at(-1)?.baseline ?? 0;
  const { left, right } = frame;
  return frame.crossLines
    .filter((at) => at > frame.top + 2 && at < end)
    .map((at) => ({ left, right, top: at, bottom: at }));
}

function isRuledRowByRow(bands: readonly (readonly PlacedRow[])[], frame: TableFrame): boolean {
  const rows = bands.reduce((sum, band) => sum + band.length, 0);
  return bands.length >= 2 && frame.uprights.length > 1 && bands.length >= rows / 5;
}
