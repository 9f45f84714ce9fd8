import type { Box } from "../page-content.ts";
import type { TableFrame } from "./table-frames.ts";
import type { Word } from "./word.ts";

/** Words of one row that stand closer than columns do. */
export interface Chunk extends Box {
  readonly words: readonly Word[];
}

/** Words further apart than this, in ems, are not one chunk. */
const chunkGap = 0.62;
/** Share of rows that may cross a gutter: headings over several columns, and lines that run over. */
const maxCrossingRows = 0.12;

/** The words of a row, left to right, as chunks. */
export function toChunks(words: readonly Word[]): Chunk[] {
  const groups: Word[][] = [];
  for (const word of [...words].sort((a, b) => a.left - b.left)) {
    const last = groups.at(-1)?.at(-1);
    const isNear =
      last !== undefined && word.left - last.right <= Math.max(last.style.size, word.style.size) * chunkGap;
    if (isNear) groups.at(-1)?.push(word);
    else groups.push([word]);
  }
  return groups.map((group) => ({
    words: group,
    left: Math.min(...group.map((word) => word.left)),
    right: Math.max(...group.map((word) => word.right)),
    top: Math.min(...group.map((word) => word.top)),
    bottom: Math.max(...group.map((word) => word.bottom)),
  }));
}

/** Boundaries between columns, left to right, the sides left out: drawn lines where there are some, else white gutters. */
export function findColumnEdges(frame: TableFrame, rows: readonly (readonly Chunk[])[]): number[] {
  const drawn = frame.uprights.filter((at) => at > frame.left + 8 && at < frame.right - 8);
  const white = findGutters(frame, rows);
  return drawn.length > 0 && drawn.length >= white.length * 0.6 ? drawn : white;
}

function findGutters(frame: TableFrame, rows: readonly (readonly Chunk[])[]): number[] {
  const voting = rows.filter((row) => row.length > 1);
  const counted = voting.length > 0 ? voting : rows;
  const origin = Math.floor(frame.left) - 4;
  const ink = new Float64Array(Math.max(1, Math.min(20_000, Math.ceil(frame.right) - origin + 8)));
  for (const row of counted) {
    for (const chunk of row) {
      for (
        let at = Math.max(0, Math.floor(chunk.left) - origin);
        at <= Math.ceil(chunk.right) - origin && at < ink.length;
        at++
      )
        ink[at] = (ink[at] ?? 0) + 1;
    }
  }
  const allowed = Math.floor(counted.length * maxCrossingRows);
  return clearRuns(ink, allowed)
    .filter(({ from, to }) => to - from >= (counted.length < 4 ? 5 : 2))
    .map(({ from, to }) => origin + (from + to) / 2);
}

// Runs between ink with hardly any ink in them; the deepest part of each run is the gutter.
function clearRuns(ink: Float64Array, allowed: number): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  let seen = false;
  let from = -1;
  for (let at = 0; at < ink.length; at++) {
    const isClear = (ink[at] ?? 0) <= allowed;
    if (isClear && from < 0 && seen) from = at;
    if (isClear) continue;
    if (from >= 0) runs.push(deepest(ink, from, at - 1));
    seen = true;
    from = -1;
  }
  return runs;
}

function deepest(ink: Float64Array, from: number, to: number): { from: number; to: number } {
  const least = Math.min(...ink.subarray(from, to + 1));
  let best = { from, to: from - 1 };
  let start = -1;
  for (let at = from; at <= to + 1; at++) {
    const isLeast = at <= to && (ink[at] ?? 0) === least;
    if (isLeast && start < 0) start = at;
    if (isLeast || start < 0) continue;
    if (at - start > best.to - best.from + 1) best = { from: start, to: at - 1 };
    start = -1;
  }
  return best;
}

/** First and last column that a chunk covers; crossing an edge by less than `slack` points does not count. */
export function columnsOf(chunk: Box, edges: readonly number[], slack: number): { first: number; last: number } {
  const first = edges.filter((edge) => edge <= chunk.left + slack).length;
  const last = edges.filter((edge) => edge < chunk.right - slack).length;
  return { first: Math.min(first, edges.length), last: Math.max(first, last) };
}
