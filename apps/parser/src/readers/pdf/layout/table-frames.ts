import type { Box, Rule } from "../page-content.ts";
import type { Line } from "./line.ts";
import { findRows } from "./text-block.ts";

/** A part of the page that ruling lines mark as a table. */
export interface TableFrame extends Box {
  /** Heights of the lines that go from side to side, top and bottom included. */
  readonly crossLines: readonly number[];
  /** Places of upright lines, left to right, sides included when drawn. */
  readonly uprights: readonly number[];
  /** A line beginning with “Table” stands above or below. */
  readonly hasCaption: boolean;
}

/** Ends of ruling lines of one table differ no more than this, in points. */
const endSlack = 6;
const minWidth = 60;
const minHeight = 12;

/** Finds frames among the rules of a page; the lines of text decide what between two rules is a table at all. */
export function findTableFrames(rules: readonly Rule[], lines: readonly Line[]): TableFrame[] {
  const crossing = mergeCollinear(rules.filter(({ isHorizontal }) => isHorizontal)).filter(
    ({ left, right }) => right - left >= minWidth,
  );
  const frames = stackRules(crossing)
    .flatMap((stack) => framesOf(stack, lines))
    .filter((frame) => !isProse(frame, lines));
  const outer = frames.filter((frame) => !frames.some((other) => other !== frame && isInside(frame, other)));
  const uprights = rules.filter(({ isHorizontal }) => !isHorizontal);
  return outer.map((frame) => ({
    ...frame,
    uprights: uprightsOf(frame, uprights),
    hasCaption: hasCaption(frame, lines),
  }));
}

// Lines drawn piece by piece, cell after cell, are one line.
function mergeCollinear(rules: readonly Rule[]): Box[] {
  const levels: Rule[][] = [];
  for (const rule of [...rules].sort((a, b) => a.top - b.top)) {
    const level = levels.at(-1);
    if (level?.[0] !== undefined && rule.top - level[0].top < 2.2) level.push(rule);
    else levels.push([rule]);
  }
  return levels.flatMap((level) => mergeAlong(level.sort((a, b) => a.left - b.left)));
}

function mergeAlong(rules: readonly Rule[]): Box[] {
  const merged: { left: number; top: number; right: number; bottom: number }[] = [];
  for (const { left, top, right, bottom } of rules) {
    const last = merged.at(-1);
    if (last === undefined || left > last.right + 4) merged.push({ left, top, right, bottom });
    else last.right = Math.max(last.right, right);
  }
  return merged;
}

// Rules that begin and end at the same places, from top to bottom.
function stackRules(rules: readonly Box[]): Box[][] {
  const stacks: Box[][] = [];
  for (const rule of rules) {
    const stack = stacks.find(
      ([first]) =>
        first !== undefined &&
        Math.abs(first.left - rule.left) <= endSlack &&
        Math.abs(first.right - rule.right) <= endSlack,
    );
    if (stack === undefined) stacks.push([rule]);
    else stack.push(rule);
  }
  return stacks.filter((stack) => stack.length > 1);
}

// Neighbouring bands that hold rows of several pieces make one frame; a band of running text parts frames.
function framesOf(stack: readonly Box[], lines: readonly Line[]): TableFrame[] {
  const frames: TableFrame[] = [];
  let open: Box[] = [];
  const close = () => {
    if (open.length > 1) frames.push(toFrame(open));
    open = [];
  };
  for (let at = 0; at + 1 < stack.length; at++) {
    const [above, below] = [stack[at] as Box, stack[at + 1] as Box];
    const band = { left: above.left, right: above.right, top: above.top, bottom: below.top };
    if (!isTabular(band, lines)) {
      close();
      continue;
    }
    if (open.length === 0) open.push(above);
    open.push(below);
  }
  close();
  return frames
    .filter((frame) => frame.bottom - frame.top >= minHeight)
    .map((frame) => extendDown(frame, stack, lines));
}

/** Rows of a table that goes on to the next page stand closer than this, in points. */
const maxRowGap = 30;

// A table that goes on to the next page may have lines under its headings and none at its foot.
function extendDown(frame: TableFrame, stack: readonly Box[], lines: readonly Line[]): TableFrame {
  if (frame.bottom - frame.top > 80 || frame.bottom !== stack.at(-1)?.top || !hasCaption(frame, lines)) return frame;
  const below = lines.filter(
    (line) => line.baseline > frame.bottom && line.left >= frame.left - 4 && line.right <= frame.right + 4,
  );
  let bottom = frame.bottom;
  for (const row of findRows(below)) {
    const top = Math.min(...row.map((line) => line.top));
    const isWide = row.some((line) => line.right - line.left > (frame.right - frame.left) * 0.6);
    if (top - bottom > maxRowGap || isWide) break;
    bottom = Math.max(bottom, ...row.map((line) => line.bottom));
  }
  return { ...frame, bottom };
}

function toFrame(stack: readonly Box[]): TableFrame {
  const [first, last] = [stack[0] as Box, stack.at(-1) as Box];
  return {
    left: first.left,
    right: first.right,
    top: first.top,
    bottom: last.top,
    crossLines: stack.map(({ top }) => top),
    uprights: [],
    hasCaption: false,
  };
}

/** Share of rows of two pieces or more that makes a band part of a table; narrow bands are headings of columns or sums. */
const minBrokenRows = 0.4;
const maxWordsOfPiece = 9;

function isTabular(band: Box, lines: readonly Line[]): boolean {
  const inside = lines.filter((line) => isCentredIn(line, band));
  if (inside.length === 0) return band.bottom - band.top < 6;
  const rows = findRows(inside);
  const broken = rows.filter((row) => row.length > 1).length;
  if (broken < Math.max(1, rows.length * minBrokenRows)) return rows.length === 1 && band.bottom - band.top < 40;
  const words = inside.reduce((sum, line) => sum + line.words.length, 0);
  return words / inside.length <= maxWordsOfPiece;
}

/** Lines of this many words are running text; a frame without a caption may hold only a few. */
const wordyWords = 6;
const captionDistance = 60;

/** Wordy lines below one another that begin and end alike are a column of running text from this number on. */
const minJustified = 6;

// Rules at the head and foot of a page of two columns look like a table of long cells; only a caption makes it one.
function isProse(frame: Box, lines: readonly Line[]): boolean {
  const inside = lines.filter((line) => isCentredIn(line, frame));
  const wordy = inside.filter((line) => line.words.filter(({ text }) => /\p{L}{2}/u.test(text)).length >= wordyWords);
  return wordy.length > inside.length * (hasCaption(frame, lines) ? 0.6 : 0.2) || hasJustifiedColumn(wordy);
}

function hasJustifiedColumn(wordy: readonly Line[]): boolean {
  const sorted = [...wordy].sort((a, b) => a.baseline - b.baseline);
  return sorted.some((line, index) => {
    let last = line;
    let count = 1;
    for (const other of sorted.slice(index + 1)) {
      if (other.baseline - last.baseline > last.size * 1.6) break;
      if (Math.abs(other.left - last.left) >= 2 || Math.abs(other.right - last.right) >= 2.5) continue;
      last = other;
      count++;
    }
    return count >= minJustified;
  });
}

function hasCaption(frame: Box, lines: readonly Line[]): boolean {
  return lines.some((line) => {
    const above = frame.top - line.bottom;
    const below = line.top - frame.bottom;
    const isNear = (above > -4 && above < captionDistance) || (below > -4 && below < captionDistance / 2);
    const isOver = line.left < frame.right && line.right > frame.left;
    return isNear && isOver && /^(?:tab(?:le|\.|elle|leau)|cuadro|tabla)$/i.test(line.words[0]?.text ?? "");
  });
}

export function isCentredIn(box: Box, area: Box): boolean {
  const x = (box.left + box.right) / 2;
  const y = (box.top + box.bottom) / 2;
  return x >= area.left - 2 && x <= area.right + 2 && y >= area.top && y <= area.bottom;
}

function isInside(inner: Box, outer: Box): boolean {
  const isWithin =
    inner.left >= outer.left - endSlack &&
    inner.right <= outer.right + endSlack &&
    inner.top >= outer.top - 1 &&
    inner.bottom <= outer.bottom + 1;
  return (
    isWithin &&
    (outer.right - outer.left > inner.right - inner.left + endSlack ||
      outer.bottom - outer.top > inner.bottom - inner.top + 1)
  );
}

// Upright lines along at least half of the frame, close ones taken together.
function uprightsOf(frame: TableFrame, rules: readonly Rule[]): number[] {
  const lengths: { at: number; length: number }[] = [];
  for (const rule of rules) {
    const length = Math.min(rule.bottom, frame.bottom + 2) - Math.max(rule.top, frame.top - 2);
    if (length <= 0 || rule.left < frame.left - endSlack || rule.left > frame.right + endSlack) continue;
    const known = lengths.find(({ at }) => Math.abs(at - rule.left) < 3);
    if (known === undefined) lengths.push({ at: rule.left, length });
    else known.length += length;
  }
  const height = frame.bottom - frame.top;
  return lengths
    .filter(({ length }) => length >= height * 0.5)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
}
