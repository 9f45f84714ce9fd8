import type { Box, Rule } from "../page-content.ts";
import type { Line } from "./line.ts";
import { hasCaptionNear } from "./table-caption-line.ts";
import { type CrossRule, isCentredIn, type TableFrame } from "./table-frame.ts";
import { isWordy } from "./table-prose.ts";
import { endSlack, minTableWidth, type PageRules, stackRules } from "./table-rules.ts";
import { findRows } from "./text-block.ts";

const minHeight = 12;

/** What is known of a page when its tables are looked for. */
export interface TablePage {
  readonly lines: readonly Line[];
  readonly rules: PageRules;
  readonly prose: ReadonlySet<Line>;
  /** Lines that begin as captions of tables do. */
  readonly captions: readonly Line[];
}

/** Finds frames among the lines across a page; the text decides what between two of them is a table at all. */
export function findTableFrames(page: TablePage): TableFrame[] {
  const wide = page.rules.across.filter(({ left, right }) => right - left >= minTableWidth);
  const frames = stackRules(wide)
    .flatMap((stack) => framesOf(stack, page))
    .filter((frame) => !isProse(frame, page));
  const outer = frames.filter((frame) => !frames.some((other) => other !== frame && isInside(frame, other)));
  return outer.map((frame) => ({ ...frame, uprights: uprightsOf(frame, page.rules.upright) }));
}

// Neighbouring bands that hold rows of several pieces make one frame; a band of running text parts frames.
function framesOf(stack: readonly CrossRule[], page: TablePage): TableFrame[] {
  const frames: TableFrame[] = [];
  const isCaptioned = stack.some((rule) => hasCaptionNear(rule, page.captions));
  let open: CrossRule[] = [];
  const close = () => {
    if (open.length > 1) frames.push(toFrame(open, page));
    open = [];
  };
  for (let at = 0; at + 1 < stack.length; at++) {
    const [above, below] = [stack[at] as CrossRule, stack[at + 1] as CrossRule];
    const band = { left: above.left, right: above.right, top: above.top, bottom: below.top };
    if (!isTabular(band, page, isCaptioned)) {
      close();
      continue;
    }
    if (open.length === 0) open.push(above);
    open.push(below);
  }
  close();
  const [first, last] = [stack[0] as CrossRule, stack.at(-1) as CrossRule];
  return frames
    .map((frame) => (frame.bottom === last.top ? extendDown(frame, page) : frame))
    .map((frame) => (frame.top === first.top ? extendUp(frame, page) : frame))
    .flatMap((frame) => withoutText(frame, page) ?? [])
    .filter((frame) => frame.bottom - frame.top >= minHeight);
}

// Titles above the headings and notes below the last row stand between lines of the table without being part of it.
function withoutText(frame: TableFrame, { lines }: TablePage): TableFrame | undefined {
  let [from, to] = [0, frame.crossLines.length - 1];
  const isText = (at: number): boolean => {
    const [top = 0, bottom = 0] = frame.crossLines.slice(at, at + 2);
    const inside = lines.filter((line) => isCentredIn(line, { ...frame, top, bottom }));
    const isWide = inside.some((line) => line.right - line.left > (frame.right - frame.left) * wideShare);
    return inside.length > 0 && isWide && findRows(inside).every((row) => row.length === 1);
  };
  while (from < to && isText(from)) from++;
  while (to > from && frame.bottom <= (frame.crossLines[to] ?? 0) && isText(to - 1)) to--;
  if (from >= to) return undefined;
  const crossLines = frame.crossLines.slice(from, to + 1);
  const isWhole = to === frame.crossLines.length - 1;
  const bottom = isWhole ? frame.bottom : (crossLines.at(-1) ?? frame.bottom);
  return { ...frame, crossLines, top: crossLines[0] ?? frame.top, bottom };
}

function toFrame(stack: readonly CrossRule[], page: TablePage): TableFrame {
  const [first, last] = [stack[0] as CrossRule, stack.at(-1) as CrossRule];
  const left = Math.min(...stack.map((rule) => rule.left));
  const right = Math.max(...stack.map((rule) => rule.right));
  const box = { left, right, top: first.top, bottom: last.top };
  const partLines = page.rules.across.filter(
    (rule) =>
      rule.top > box.top + 2 &&
      rule.top < box.bottom - 2 &&
      rule.left > left - endSlack &&
      rule.right < right + endSlack &&
      rule.right - rule.left < (right - left) * 0.97,
  );
  return {
    ...box,
    crossLines: stack.map(({ top }) => top),
    partLines,
    uprights: [],
    joints: stack.flatMap(({ joints }) => joints),
    hasCaption: hasCaptionNear(box, page.captions),
  };
}

/** A line over so much of the width is a title or a note. */
const wideShare = 0.55;
/** Rows of a table that goes on below its last line stand closer than this, in ems. */
const maxRowGap = 2.2;

// A table that goes on to the next page may have lines under its headings and none at its foot.
function extendDown(frame: TableFrame, { lines, prose, captions }: TablePage): TableFrame {
  if (frame.bottom - frame.top > 80 || !frame.hasCaption) return frame;
  const below = lines.filter(
    (line) => line.baseline > frame.bottom && line.left >= frame.left - 4 && line.right <= frame.right + 4,
  );
  let bottom = frame.bottom;
  for (const row of findRows(below)) {
    const first = row[0] as Line;
    const top = Math.min(...row.map((line) => line.top));
    const isText = row.some(
      (line) => prose.has(line) || captions.includes(line) || line.right - line.left > (frame.right - frame.left) * 0.6,
    );
    if (top - bottom > first.size * maxRowGap || isText) break;
    bottom = Math.max(bottom, ...row.map((line) => line.bottom));
  }
  return { ...frame, bottom };
}

/** Headings above the first line take no more rows than this. */
const maxOpenHeadings = 3;

// The headings of columns may stand above the first line.
function extendUp(frame: TableFrame, { lines, prose, captions }: TablePage): TableFrame {
  const above = lines.filter(
    (line) =>
      line.bottom < frame.top + 2 &&
      line.bottom > frame.top - 80 &&
      line.left >= frame.left - 4 &&
      line.right <= frame.right + 4,
  );
  const headings: (readonly Line[])[] = [];
  let { top } = frame;
  for (const row of findRows(above).toReversed()) {
    const [first] = row as [Line];
    if (top - first.bottom > first.size * 2 || row.some((line) => captions.includes(line))) break;
    if (row.some((line) => prose.has(line) || isWordy(line))) return frame;
    headings.unshift(row);
    top = Math.min(...row.map((line) => line.top));
    if (row.length > 1 && headings.length > maxOpenHeadings) return frame;
  }
  const from = headings.findIndex((row) => row.length > 1);
  if (from < 0 || headings.length - from > maxOpenHeadings) return frame;
  const newTop = Math.min(...(headings[from] as readonly Line[]).map((line) => line.top)) - 1;
  return { ...frame, top: newTop, crossLines: [newTop, ...frame.crossLines] };
}

/** Share of rows of two pieces or more that makes a band part of a table; low bands are headings of columns or sums. */
const minBrokenRows = 0.4;
/** Shades of a title or figure leave more room than rows do. */
const maxEmptyBand = 24;
const maxLowBand = 40;

function isTabular(band: Box, { lines, prose, captions }: TablePage, isCaptioned: boolean): boolean {
  const inside = lines.filter((line) => isCentredIn(line, band));
  const height = band.bottom - band.top;
  if (inside.length === 0) return height < maxEmptyBand;
  if (inside.some((line) => captions.includes(line))) return false;
  const textual = inside.filter((line) => prose.has(line));
  if (lettersIn(textual) > lettersIn(inside) * 0.5) return false;
  const rows = findRows(inside);
  const broken = rows.filter((row) => row.length > 1).length;
  if (broken >= Math.max(1, rows.length * minBrokenRows)) return true;
  if (isCaptioned && broken > 0) return broken >= rows.length * 0.2;
  return (rows.length === 1 && height < maxLowBand) || (isCaptioned && height < maxLowBand);
}

function lettersIn(lines: readonly Line[]): number {
  let count = 0;
  for (const line of lines) for (const { text } of line.words) count += text.length;
  return count;
}

// Rules at the head and foot of a page of two columns look like a table of long cells; only a caption makes it one.
function isProse(frame: TableFrame, { lines, prose }: TablePage): boolean {
  const inside = lines.filter((line) => isCentredIn(line, frame));
  const wordy = inside.filter(isWordy);
  const text = inside.filter((line) => prose.has(line));
  return wordy.length > inside.length * (frame.hasCaption ? 0.8 : 0.3) || text.length > inside.length * 0.3;
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
  const lengths = new Map<number, { at: number; length: number }>();
  for (const rule of rules) {
    const length = Math.min(rule.bottom, frame.bottom + 2) - Math.max(rule.top, frame.top - 2);
    if (length <= 0 || rule.left < frame.left - endSlack || rule.left > frame.right + endSlack) continue;
    const key = Math.round(rule.left / 3);
    const known = lengths.get(key) ?? lengths.get(key - 1) ?? lengths.get(key + 1);
    if (known === undefined) lengths.set(key, { at: rule.left, length });
    else known.length += length;
  }
  const height = frame.bottom - frame.top;
  return [...lengths.values()]
    .filter(({ length }) => length >= height * 0.5)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
}
