import type { Box } from "../page-content.ts";
import type { Line } from "./line.ts";
import { type Chunk, columnsOf, toChunks } from "./table-columns.ts";
import { findRows } from "./text-block.ts";
import type { Word } from "./word.ts";

/** Words on one baseline within a table. */
export interface VisualRow {
  readonly baseline: number;
  readonly size: number;
  readonly chunks: readonly Chunk[];
}

/** The words of a drawn row that stand in one column, or across several. */
export interface Piece extends Box {
  readonly first: number;
  readonly last: number;
  readonly words: readonly Word[];
}

/** A drawn row with its words placed in columns, left to right; no two pieces share a column. */
export interface PlacedRow {
  readonly baseline: number;
  readonly size: number;
  readonly pieces: readonly Piece[];
}

/** The rows as drawn, top to bottom. */
export function findVisualRows(lines: readonly Line[]): VisualRow[] {
  return findRows(lines).map((row) => ({
    baseline: (row[0] as Line).baseline,
    size: Math.max(...row.map((line) => line.size)),
    chunks: toChunks(row.flatMap((line) => line.words)),
  }));
}

/** Places the chunks of a row in columns; one that runs over an edge is parted where its words leave room there. */
export function placeRow({ baseline, size, chunks }: VisualRow, edges: readonly number[]): PlacedRow {
  const pieces: Piece[] = [];
  for (const chunk of chunks.flatMap((whole) => partAtEdges(whole, edges, size))) {
    const { first, last } = columnsOf(chunk, edges, size * 0.3);
    const before = pieces.at(-1);
    if (before === undefined || before.last < first) pieces.push({ ...chunk, first, last });
    else pieces[pieces.length - 1] = joinPieces(before, { ...chunk, first, last });
  }
  return { baseline, size, pieces };
}

function joinPieces(a: Piece, b: Piece): Piece {
  return {
    words: [...a.words, ...b.words],
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

/** Words on either side of an edge stand this far apart, in ems, when they belong to two cells. */
const minEdgeGap = 0.4;

function partAtEdges(chunk: Chunk, edges: readonly number[], size: number): Chunk[] {
  if (!edges.some((edge) => edge > chunk.left + size * 0.3 && edge < chunk.right - size * 0.3)) return [chunk];
  const groups: Word[][] = [[]];
  for (const [index, word] of chunk.words.entries()) {
    const before = chunk.words[index - 1];
    const isParted =
      before !== undefined &&
      word.left - before.right > size * minEdgeGap &&
      edges.some((edge) => edge > before.right - 3 && edge < word.left + 3);
    if (isParted) groups.push([word]);
    else groups.at(-1)?.push(word);
  }
  return groups.map((words) => wholeChunk(words, chunk));
}

function wholeChunk(words: readonly Word[], { top, bottom }: Chunk): Chunk {
  return {
    words,
    top,
    bottom,
    left: Math.min(...words.map((word) => word.left)),
    right: Math.max(...words.map((word) => word.right)),
  };
}

/** What stands between two lines that go from side to side. */
export function partAtLines<Row extends { readonly baseline: number; readonly size: number }>(
  rows: readonly Row[],
  crossLines: readonly number[],
): Row[][] {
  const bands: Row[][] = [];
  let line = -1;
  let next = 0;
  for (const row of rows) {
    while (next < crossLines.length && (crossLines[next] as number) < row.baseline - row.size * 0.3) next++;
    if (next === line) bands.at(-1)?.push(row);
    else bands.push([row]);
    line = next;
  }
  return bands;
}
