import type { Box } from "../page-content.ts";

/** A part of the page that holds one column of text, from top to bottom. */
export type Region<T extends Box> = readonly T[];

/** Gutters are at least this wide, in points; text columns this wide. */
const minGutter = 4;
const minColumn = 60;
/** Two columns stand side by side over at least this height, in points. */
const minSharedHeight = 24;
const maxDepth = 24;

/**
 * Splits the lines and other boxes of a page into regions in reading order, by recursive cuts along gutters. What crosses a
 * gutter (a title, a wide table) is a region of its own between what stands above and below it.
 *
 * After Nagy and Seth, “Hierarchical representation of optically scanned documents” (1984), with gutters found by the votes
 * of neighbours on the same height instead of by empty projections.
 */
export function findRegions<T extends Box>(boxes: readonly T[], depth = 0): Region<T>[] {
  const gutter = boxes.length < 2 || depth > maxDepth ? undefined : findGutter(boxes);
  if (gutter === undefined) return boxes.length === 0 ? [] : [sortDown(boxes)];
  return bandsAround(boxes, gutter).flatMap((band) => {
    const left = band.filter((box) => (box.left + box.right) / 2 <= gutter.at);
    const right = band.filter((box) => (box.left + box.right) / 2 > gutter.at);
    if (!isCrossing(band, gutter.at) && left.length > 0 && right.length > 0 && areColumns(left, right)) {
      return [...findRegions(left, depth + 1), ...findRegions(right, depth + 1)];
    }
    return band.length < boxes.length ? findRegions(band, depth + 1) : [sortDown(band)];
  });
}

function sortDown<T extends Box>(boxes: readonly T[]): T[] {
  return [...boxes].sort((a, b) => a.top - b.top || a.left - b.left);
}

interface Gutter {
  readonly at: number;
}

// Every box votes, with its height, for the gap between it and its nearest neighbour to the right.
function findGutter(boxes: readonly Box[]): Gutter | undefined {
  const origin = Math.floor(Math.min(...boxes.map(({ left }) => left)));
  const end = Math.ceil(Math.max(...boxes.map(({ right }) => right)));
  const width = Math.min(end - origin, 20_000);
  if (width < minColumn * 2) return undefined;
  const votes = new Float64Array(width + 2);
  for (const box of boxes) {
    for (const { from, to, height } of gapsRightOf(box, boxes)) {
      if (to - from < minGutter) continue;
      addVote(votes, { from: Math.ceil(from) - origin, to: Math.floor(to) - origin }, height);
    }
  }
  return pickGutter(votes, boxes, origin);
}

function addVote(votes: Float64Array, { from, to }: { from: number; to: number }, height: number): void {
  votes[Math.max(0, from)] = (votes[Math.max(0, from)] ?? 0) + height;
  const end = Math.min(votes.length - 1, to + 1);
  votes[end] = (votes[end] ?? 0) - height;
}

function gapsRightOf(box: Box, boxes: readonly Box[]): { from: number; to: number; height: number }[] {
  let nearest = Infinity;
  let height = 0;
  for (const other of boxes) {
    if (other.left < box.right - 1 || other.left >= nearest) continue;
    const shared = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
    if (shared <= Math.min(box.bottom - box.top, other.bottom - other.top) * 0.2) continue;
    nearest = other.left;
    height = shared;
  }
  return nearest === Infinity ? [] : [{ from: box.right, to: nearest, height }];
}

// The best-voted place that leaves a column on either side; of equal places, the middle of the widest run.
function pickGutter(votes: Float64Array, boxes: readonly Box[], origin: number): Gutter | undefined {
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...boxes.map((box) => box.right));
  let best = minSharedHeight;
  let from = -1;
  let to = -1;
  let sum = 0;
  for (let at = 0; at < votes.length; at++) {
    sum += votes[at] ?? 0;
    const x = at + origin;
    if (x - left < minColumn || right - x < minColumn) continue;
    if (sum > best + 0.5) {
      best = sum;
      from = at;
      to = at;
    } else if (sum >= best - 0.5 && to === at - 1) to = at;
  }
  return from < 0 ? undefined : { at: origin + (from + to) / 2 };
}

// Runs of boxes from top to bottom that all cross the gutter, or that all do not.
function bandsAround<T extends Box>(boxes: readonly T[], { at }: Gutter): T[][] {
  const crossing = sortDown(boxes.filter((box) => crosses(box, at)));
  const beside = sortDown(boxes.filter((box) => !crosses(box, at)));
  const bands: T[][] = [];
  let next = 0;
  for (const box of crossing) {
    const middle = (box.top + box.bottom) / 2;
    const above: T[] = [];
    while (next < beside.length && centreY(beside[next] as T) < middle) above.push(beside[next++] as T);
    if (above.length > 0 || bands.length === 0) bands.push(above, [box]);
    else bands.at(-1)?.push(box);
  }
  bands.push(beside.slice(next));
  const filled = bands.filter((band) => band.length > 0);
  for (const [index, band] of filled.entries()) {
    const above = filled[index - 1];
    const last = above?.at(-1);
    if (above !== undefined && last !== undefined && crosses(last, at)) takeLastLine(above, band);
  }
  return filled.filter((band) => band.length > 0);
}

// The last line of a title or of a wide paragraph may be too short to cross the gutter itself.
function takeLastLine<T extends Box>(above: T[], band: T[]): void {
  const [first, ...others] = band;
  const last = above.at(-1);
  if (first === undefined || last === undefined) return;
  const height = last.bottom - last.top;
  const isAlike = Math.abs(first.bottom - first.top - height) < 1 && first.top - last.bottom < height * 0.6;
  const isAligned =
    Math.abs(first.left - last.left) < 3 || Math.abs(first.left + first.right - last.left - last.right) < 6;
  const isAlone = !others.some((other) => other.top < first.bottom && other.bottom > first.top);
  if (isAlike && isAligned && isAlone) above.push(band.shift() as T);
}

function centreY({ top, bottom }: Box): number {
  return (top + bottom) / 2;
}

function crosses({ left, right }: Box, at: number): boolean {
  return left < at - 1 && right > at + 1;
}

function isCrossing(band: readonly Box[], at: number): boolean {
  return band.some((box) => crosses(box, at));
}

// Columns have some width and stand side by side; a column of numbers beside text is a list or a table.
function areColumns(left: readonly Box[], right: readonly Box[]): boolean {
  const widthOf = (boxes: readonly Box[]) =>
    Math.max(...boxes.map((box) => box.right)) - Math.min(...boxes.map((box) => box.left));
  return widthOf(left) >= minColumn && widthOf(right) >= minColumn;
}
