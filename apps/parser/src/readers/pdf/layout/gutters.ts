import type { Box } from "../page-content.ts";

/** Gutters are at least this wide, in points. */
const minGutter = 4;
/** Text columns are at least this wide, in points. */
export const minColumn = 60;
/** Two columns stand side by side over at least this height, in points. */
const minSharedHeight = 16;
/** Boxes stand side by side when they share this part of the lower one’s height; lines of columns need not be level. */
const minShare = 0.1;
/** Places tried for a gutter, from the best supported one. */
const maxCandidates = 3;
/** Candidates stand at least this far from the slopes of a better one, in points. */
const slopeMargin = 8;
/** Pages wider than this, in points, are drawings. */
const maxWidth = 20_000;

/**
 * Places, from left to right, where a page may be parted into columns, the best supported first. Every box votes, with the
 * height of the lower of both, for the gap between it and its nearest neighbour to the right.
 */
export function findGutters(boxes: readonly Box[]): number[] {
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...boxes.map((box) => box.right));
  if (right - left < minColumn * 2) return [];
  const origin = Math.floor(left);
  const support = new Float64Array(Math.min(Math.ceil(right) - origin, maxWidth) + 2);
  for (const gap of gapsBetween(boxes)) addVote(support, gap, origin);
  for (let at = 1; at < support.length; at++) support[at] = (support[at] as number) + (support[at - 1] as number);
  return pickPeaks(support, minColumn).map((at) => origin + at);
}

interface Gap {
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

// The gap between every box and the nearest one that stands right of it on the same height.
function gapsBetween(boxes: readonly Box[]): Gap[] {
  const sorted = [...boxes].sort((a, b) => a.top - b.top);
  const nearest = new Map<Box, { box: Box; height: number }>();
  for (const [index, upper] of sorted.entries()) {
    for (let at = index + 1; at < sorted.length; at++) {
      const lower = sorted[at] as Box;
      if (lower.top >= upper.bottom) break;
      const height = Math.min(upper.bottom - upper.top, lower.bottom - lower.top);
      if (Math.min(upper.bottom, lower.bottom) - lower.top <= height * minShare) continue;
      const [box, neighbour] = upper.left <= lower.left ? [upper, lower] : [lower, upper];
      if (neighbour.left < box.right - 1) continue;
      const known = nearest.get(box);
      if (known === undefined || neighbour.left < known.box.left) nearest.set(box, { box: neighbour, height });
    }
  }
  return Array.from(
    nearest,
    ([
      box,
      {
        box: { left: to },
        height,
      },
    ]) => ({ from: box.right, to, height }),
  );
}

// Votes are written as steps up and down, to be summed from left to right.
function addVote(support: Float64Array, { from, to, height }: Gap, origin: number): void {
  if (to - from < minGutter) return;
  const start = Math.max(0, Math.ceil(from) - origin);
  const end = Math.min(support.length - 1, Math.floor(to) - origin + 1);
  if (start >= end) return;
  support[start] = (support[start] as number) + height;
  support[end] = (support[end] as number) - height;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

// The middles of the best supported stretches that leave a column on either side.
function pickPeaks(support: Float64Array, margin: number): number[] {
  const peaks: number[] = [];
  const taken: Stretch[] = [];
  while (peaks.length < maxCandidates) {
    const best = bestStretch(support, margin, taken);
    if (best === undefined) break;
    peaks.push((best.from + best.to) / 2);
    taken.push(slopesOf(support, best));
  }
  return peaks;
}

function bestStretch(support: Float64Array, margin: number, taken: readonly Stretch[]): Stretch | undefined {
  let best = minSharedHeight;
  let from = -1;
  let to = -1;
  for (let at = margin; at <= support.length - 2 - margin; at++) {
    const sum = support[at] as number;
    if (taken.some((other) => at >= other.from && at <= other.to)) continue;
    if (sum > best + 0.5) {
      best = sum;
      from = at;
      to = at;
    } else if (sum >= best - 0.5 && to === at - 1) to = at;
  }
  return from < 0 ? undefined : { from, to };
}

// The ragged ends of lines make the same gap wider with less support.
function slopesOf(support: Float64Array, { from, to }: Stretch): Stretch {
  const half = (support[from] as number) / 2;
  let [start, end] = [from, to];
  while (start > 0 && (support[start - 1] as number) >= half) start--;
  while (end < support.length - 1 && (support[end + 1] as number) >= half) end++;
  return { from: start - slopeMargin, to: end + slopeMargin };
}
