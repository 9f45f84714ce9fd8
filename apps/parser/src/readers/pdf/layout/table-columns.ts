import type { Box } from "../page-content.ts";
import { isLoneBullet } from "./item-mark.ts";
import type { TableFrame } from "./table-frame.ts";
import type { Word } from "./word.ts";

/** Words of one row that stand closer than columns do. */
export interface Chunk extends Box {
  readonly words: readonly Word[];
}

/** Words further apart than this, in ems, are not one chunk. */
const chunkGap = 0.5;
const numberGap = 0.3;
/** Share of rows that may cross a gutter: headings over several columns, and lines that run over. */
const maxCrossingRows = 0.12;

/** The text of an item stands no further behind its bullet than this, in ems. */
const bulletGap = 3;

/** The words of a row, left to right, as chunks; a bullet is one with the text behind it. */
export function toChunks(words: readonly Word[]): Chunk[] {
  const groups: Word[][] = [];
  for (const word of [...words].sort((a, b) => a.left - b.left)) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const em = last === undefined ? 0 : Math.max(last.style.size, word.style.size);
    const isNear =
      last !== undefined &&
      word.left - last.right <= em * (group?.length === 1 && isLoneBullet(last) ? bulletGap : gapOf(last, word));
    if (isNear) group?.push(word);
    else groups.push([word]);
  }
  return groups.map(toChunk);
}

// Two numbers one after another are no text, but for groups of thousands.
function gapOf(before: Word, after: Word): number {
  return isNumber(before.text) && isNumber(after.text) && !/^\d{3}$/.test(after.text) ? numberGap : chunkGap;
}

function isNumber(text: string): boolean {
  return /^[−–+<>-]?\d[\d.,]*[%*†‡]*$/.test(text);
}

function toChunk(words: readonly Word[]): Chunk {
  const chunk = { words, left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const { left, right, top, bottom } of words) {
    chunk.left = Math.min(chunk.left, left);
    chunk.right = Math.max(chunk.right, right);
    chunk.top = Math.min(chunk.top, top);
    chunk.bottom = Math.max(chunk.bottom, bottom);
  }
  return chunk;
}

export interface OtherRows {
  /** Rows that have no say where columns are parted, but should not be cut through. */
  readonly others?: readonly (readonly Chunk[])[];
  /** The lowest headings: one that stands between columns has an empty column below it. */
  readonly headings?: readonly Chunk[];
}

/** Boundaries between columns, left to right, the sides left out: white gutters, at drawn lines where there are some. */
export function findColumnEdges(
  frame: TableFrame,
  rows: readonly (readonly Chunk[])[],
  { others = [], headings = [] }: OtherRows = {},
): number[] {
  const drawn = frame.uprights.filter((at) => at > frame.left + 8 && at < frame.right - 8);
  const white = findGutters(frame, rows, headings)
    .map((gutter) => besideCells(gutter, others.flat()))
    .map(({ from, to, at }) => ({ from, to, at: drawn.find((line) => line >= from - 2 && line <= to + 2) ?? at }));
  const missed = drawn.filter((line) => !white.some(({ from, to }) => line >= from - 2 && line <= to + 2));
  return [...white.map(({ at }) => at), ...missed].sort((a, b) => a - b);
}

interface Gutter {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

// Cells of rows that had no say reach into a gutter: what is left of it parts the columns.
function besideCells({ from, to, at }: Gutter, chunks: readonly Chunk[]): Gutter {
  let [left, right] = [from, to];
  for (const chunk of chunks) {
    if (chunk.left < left && chunk.right > left && chunk.right < to - 1) left = chunk.right;
    if (chunk.right > right && chunk.left < right && chunk.left > from + 1) right = chunk.left;
  }
  const isMoved = left < right && (at < left || at > right);
  return isMoved ? { from: left, to: right, at: (left + right) / 2 } : { from, to, at };
}

function findGutters(frame: TableFrame, counted: readonly (readonly Chunk[])[], headings: readonly Chunk[]): Gutter[] {
  const origin = Math.floor(frame.left) - 4;
  const ink = inkOf(counted, origin, Math.ceil(frame.right) - origin + 8);
  const allowed = Math.floor(counted.length * maxCrossingRows);
  const minWidth = counted.length < 4 ? 5 : 2;
  const chunks = [...counted.flat(), ...headings];
  return clearRuns(ink, allowed)
    .flatMap((run) => partRun(run, ink, { chunks, origin }))
    .flatMap(({ from, to }) => {
      const joint = frame.joints.find((at) => at - origin >= from - 1 && at - origin <= to + 2);
      if (to - from < minWidth && joint === undefined) return [];
      return [{ from: origin + from, to: origin + to, at: joint ?? origin + (from + to) / 2 }];
    });
}

interface Run {
  readonly from: number;
  readonly to: number;
}

// A column of few cells stands within the clear run between its neighbours.
function partRun(run: Run, ink: Float64Array, { chunks, origin }: { chunks: readonly Chunk[]; origin: number }): Run[] {
  const inner = chunks
    .filter((chunk) => chunk.left - origin > run.from + 1 && chunk.right - origin < run.to - 1)
    .sort((a, b) => a.left - b.left);
  const runs: Run[] = [];
  let from = run.from;
  let right = -Infinity;
  for (const chunk of inner) {
    if (chunk.left - origin > right + 2) {
      if (right > -Infinity) from = Math.ceil(right) + 1;
      runs.push({ from, to: Math.floor(chunk.left) - origin - 1 });
    }
    right = Math.max(right, chunk.right - origin);
  }
  if (inner.length > 0) from = Math.ceil(right) + 1;
  runs.push({ from, to: run.to });
  return runs.map(({ from: start, to }) => deepest(ink, start, to));
}

// How many rows have a chunk above each point of the width.
function inkOf(rows: readonly (readonly Chunk[])[], origin: number, width: number): Float64Array {
  const ink = new Float64Array(Math.max(1, Math.min(20_000, width)));
  const changes = new Float64Array(ink.length + 1);
  for (const chunk of rows.flat()) {
    const from = Math.min(ink.length, Math.max(0, Math.floor(chunk.left) - origin));
    const to = Math.min(ink.length, Math.max(from, Math.ceil(chunk.right) - origin + 1));
    changes[from] = (changes[from] ?? 0) + 1;
    changes[to] = (changes[to] ?? 0) - 1;
  }
  let sum = 0;
  for (let at = 0; at < ink.length; at++) ink[at] = sum += changes[at] ?? 0;
  return ink;
}

// Runs between ink with hardly any ink in them.
function clearRuns(ink: Float64Array, allowed: number): Run[] {
  const runs: Run[] = [];
  let seen = false;
  let from = -1;
  for (let at = 0; at < ink.length; at++) {
    const isClear = (ink[at] ?? 0) <= allowed;
    if (isClear && from < 0 && seen) from = at;
    if (isClear) continue;
    if (from >= 0) runs.push({ from, to: at - 1 });
    seen = true;
    from = -1;
  }
  return runs;
}

// The longest part of a run with the least ink.
function deepest(ink: Float64Array, from: number, to: number): Run {
  let least = Infinity;
  for (let at = from; at <= to; at++) least = Math.min(least, ink[at] ?? 0);
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
  let first = 0;
  let last = 0;
  for (const edge of edges) {
    if (edge <= chunk.left + slack) first++;
    if (edge < chunk.right - slack) last++;
  }
  return { first, last: Math.max(first, last) };
}
