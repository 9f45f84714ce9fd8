import type { Box, TextStyle } from "../page-content.ts";
import { isDash, isFirstMark, itemMark, senseOf } from "./item-mark.ts";
import type { Line } from "./line.ts";
import type { Word } from "./word.ts";

/** Lines of one column that belong together: a paragraph, a heading, an item of a list, a caption. */
export interface TextBlock extends Box {
  readonly lines: readonly Line[];
}

/** Edges of the column in which a block stands, in points. */
export interface Column {
  readonly left: number;
  readonly right: number;
}

/** Baseline distance over the usual one that parts paragraphs. */
const openLeading = 1.28;
/** Depth of an indent in ems. */
const minIndent = 0.7;
/** A list inside an item is set in no deeper than this, in ems. */
const maxNesting = 5;
/** First lines of paragraphs are not indented deeper than this, in ems. */
const maxIndent = 2.2;

/** Parts the lines of one region, top to bottom, into blocks. */
export function findTextBlocks(pieces: readonly Line[], mergeRow: (row: readonly Line[]) => Line): TextBlock[] {
  const lines = findRows(pieces).map((row) => (row.length === 1 ? (row[0] as Line) : mergeRow(row)));
  if (lines.length === 0) return [];
  const column = { left: Math.min(...lines.map((line) => line.left)), right: usualRight(lines) };
  const leadings = new Map<number, number>();
  const blocks: Line[][] = [];
  for (const line of lines) {
    const current = blocks.at(-1);
    let leading = leadings.get(line.size);
    if (leading === undefined) leadings.set(line.size, (leading = usualLeading(lines, line.size)));
    if (current === undefined || beginsBlock(current, line, { column, leading })) blocks.push([line]);
    else current.push(line);
  }
  return blocks.map(toTextBlock);
}

export function toTextBlock(lines: readonly Line[]): TextBlock {
  return {
    lines,
    left: Math.min(...lines.map((line) => line.left)),
    top: Math.min(...lines.map((line) => line.top)),
    right: Math.max(...lines.map((line) => line.right)),
    bottom: Math.max(...lines.map((line) => line.bottom)),
  };
}

/** Pieces that stand on one baseline, rows from top to bottom, pieces from left to right. */
export function findRows(pieces: readonly Line[]): Line[][] {
  const rows: Line[][] = [];
  for (const piece of [...pieces].sort((a, b) => a.baseline - b.baseline)) {
    const row = rows.at(-1);
    const first = row?.[0];
    const isSame =
      first !== undefined && Math.abs(piece.baseline - first.baseline) < Math.min(piece.size, first.size) * 0.35;
    if (row !== undefined && isSame && !row.some((other) => overlap(other, piece) > piece.size * 0.5)) row.push(piece);
    else rows.push([piece]);
  }
  return rows.map((row) => row.sort((a, b) => a.left - b.left));
}

function overlap(a: Box, b: Box): number {
  return Math.min(a.right, b.right) - Math.max(a.left, b.left);
}

function usualRight(lines: readonly Line[]): number {
  const sorted = lines.map((line) => line.right).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.9)] ?? 0;
}

// The lower quartile of the distances between lines of this size: wider ones part paragraphs.
function usualLeading(lines: readonly Line[], size: number): number {
  const distances: number[] = [];
  for (let at = 1; at < lines.length; at++) {
    const [above, below] = [lines[at - 1] as Line, lines[at] as Line];
    const distance = below.baseline - above.baseline;
    if (isSameSize(above, below) && Math.abs(below.size - size) < size * 0.06 && distance > size * 0.8)
      distances.push(distance);
  }
  distances.sort((a, b) => a - b);
  return Math.min(distances[Math.floor(distances.length / 4)] ?? size * 1.2, size * 2.4);
}

function isSameSize(a: Line, b: Line): boolean {
  return Math.abs(a.size - b.size) <= Math.max(a.size, b.size) * 0.07;
}

interface Setting {
  readonly column: Column;
  readonly leading: number;
}

function beginsBlock(block: readonly Line[], line: Line, { column, leading }: Setting): boolean {
  const above = block.at(-1) as Line;
  const distance = line.baseline - above.baseline;
  const isTagged = isOfOtherElement(above, line);
  if (distance > leading * openLeading || distance < 0 || isTagged === true) return true;
  if (!isSameSize(above, line) || startsSection(block, line)) return true;
  if (isTagged === false) return startsItem(line, block) || endsEarly(above, line, column);
  return beginsUntagged(block, line, column);
}

function beginsUntagged(block: readonly Line[], line: Line, column: Column): boolean {
  const above = block.at(-1) as Line;
  if (changesFace(above, line, column)) return true;
  if (isMonospaced(above) && isMonospaced(line)) return false;
  if (startsItem(line, block)) return true;
  if (isCentredUnder(above, line, column)) return false;
  return isIndented(block, line) || endsEarly(above, line, column);
}

// Whether a line stands in another element of a tagged file than the one above it; undefined where the file does not say.
function isOfOtherElement(above: Line, line: Line): boolean | undefined {
  const [end, start] = [above.words.at(-1), line.words[0]];
  if (end?.style.tag === undefined || start?.style.tag === undefined) return undefined;
  if (end.style.tag === start.style.tag) return false;
  // Some files have every line in an element of its own.
  const goesOn = /[\p{L},-]$/u.test(end.text) && /^\p{Ll}{2}/u.test(start.text);
  return goesOn && start.style.tag.isItem !== true ? undefined : true;
}

/** Lines in different fonts whose sizes differ by this share are a heading and its text, though the heading be full. */
const otherSize = 0.03;

// Bold against plain, or any other font where the line above stops short. A full line goes on in the next one when both
// are alike where they meet: a bold lead may end, or text may become bold, within a line.
function changesFace(above: Line, line: Line, column: Column): boolean {
  const isShort = leavesRoom(above, line, column);
  if (isBold(above) !== isBold(line))
    return isShort || above.words.at(-1)?.style.isBold !== line.words[0]?.style.isBold;
  const fonts = new Set(above.words.map(({ style }) => style.fontName));
  const isOther = !line.words.some(({ style }) => fonts.has(style.fontName));
  return isOther && (isShort || Math.abs(above.size - line.size) > line.size * otherSize);
}

const sectionNumber = /^\d{1,2}(?:\.\d{1,2})*\.?$/;

// One numbered heading below another.
function startsSection(block: readonly Line[], line: Line): boolean {
  const isNumbered = ({ words }: Line) =>
    words.length > 1 && sectionNumber.test(words[0]?.text ?? "") && !/^\p{Ll}/u.test(words[1]?.text ?? "");
  return isNumbered(line) && isBold(line) && block.every(isBold) && isNumbered(block[0] as Line);
}

// The first word of a line would have fitted on the one above it.
function leavesRoom(above: Line, line: Line, column: Column): boolean {
  const first = line.words[0] as Word;
  return column.right - above.right >= first.right - first.left + line.size * 1.5;
}

function isBold(line: Line): boolean {
  return isMostly(line, ({ isBold: bold }) => bold);
}

function isMonospaced(line: Line): boolean {
  return isMostly(line, ({ isMonospaced: monospaced }) => monospaced);
}

function isMostly(line: Line, holds: (style: TextStyle) => boolean): boolean {
  let holding = 0;
  let all = 0;
  for (const { text, style } of line.words) {
    all += text.length;
    if (holds(style)) holding += text.length;
  }
  return holding > all * 0.8;
}

// A number begins an item only where the block began with one at the same place, or where the text before it is done.
function startsItem(line: Line, block: readonly Line[]): boolean {
  const mark = itemMark(line);
  if (mark === undefined) return false;
  const first = block[0] as Line;
  const isBullet = senseOf(mark).numbers.length === 0;
  if (isBullet && !isDash(mark)) return true;
  if (itemMark(first) !== undefined) {
    const depth = (line.left - first.left) / line.size;
    // At the same place, of an outer list, or the first of one inside the item.
    return depth < 0.8 || (isFirstMark(mark) && depth < maxNesting);
  }
  return (
    /[.:;]$/.test(lastText(block.at(-1) as Line)) && line.left >= first.left - line.size * 0.5 && /^\D*1\D*$/.test(mark)
  );
}

function isIndented(block: readonly Line[], line: Line): boolean {
  const above = block.at(-1) as Line;
  const first = block[0] as Line;
  const indent = line.size * minIndent;
  const isDeeper = line.left > above.left + indent;
  if (isDeeper) {
    // A block of one line may be the first of a hanging paragraph; then the second is deeper and goes on.
    return !(block.length === 1 && (itemMark(above) !== undefined || hangs(above, line)));
  }
  const isHanging = block.length > 1 && above.left > first.left + indent && isLevel(block.slice(1), indent);
  return isHanging && Math.abs(line.left - first.left) < indent;
}

// Lines of a centred title stand alike about the middle of their column.
function isCentredUnder(above: Line, line: Line, column: Column): boolean {
  const middle = column.left + column.right;
  const isCentred = ({ left, right, size }: Line) => Math.abs(left + right - middle) < size * 0.8;
  return isCentred(above) && isCentred(line) && Math.abs(above.left - line.left) > line.size * maxIndent;
}

// The first line of a hanging paragraph is full, and the one below it is indented like no first line of a paragraph.
function hangs(above: Line, line: Line): boolean {
  const startsLower = /^[\p{Ll}\d(&]/u.test(line.words[0]?.text ?? "");
  return (
    above.right >= line.right - line.size &&
    !/[.:!?]$/.test(lastText(above)) &&
    (startsLower || line.left - above.left > line.size * 1.2)
  );
}

function isLevel(lines: readonly Line[], slack: number): boolean {
  const lefts = lines.map((line) => line.left);
  return Math.max(...lefts) - Math.min(...lefts) < slack;
}

// A line that leaves room for the first word of the next one, and ends a sentence, ends its paragraph.
function endsEarly(above: Line, line: Line, column: Column): boolean {
  if (!leavesRoom(above, line, column)) return false;
  const room = column.right - above.right;
  return /[.!?:;]["”’)\]]*\d*$/.test(lastText(above)) || room > (column.right - column.left) * 0.5;
}

export function lastText(line: Line): string {
  return line.words.at(-1)?.text ?? "";
}
