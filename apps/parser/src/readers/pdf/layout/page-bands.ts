import type { Box } from "../page-content.ts";
import { minColumn } from "./gutters.ts";

/** What stands on one height of the page, seen from a gutter. */
export interface Band<T extends Box> {
  readonly boxes: readonly T[];
  /** Something crosses the gutter; text columns stand on either side; or neither: cells, labels, one side alone. */
  readonly kind: "across" | "columns" | "cells";
}

/** Bands of whole strips: what stands on one height with something that crosses the gutter belongs to other columns. */
export function bandsOfStrips<T extends Box>(boxes: readonly T[], gutter: number): Band<T>[] {
  const strips = findStrips(boxes).map((strip) => ({ boxes: strip, kind: kindOf(strip, gutter) }));
  const settled = strips.map((strip, index) => {
    const isBesideColumns = [strips[index - 1], strips[index + 1]].some((other) => other?.kind === "columns");
    return isShortRow(strip) && isBesideColumns ? { ...strip, kind: "columns" as const } : strip;
  });
  return keepLastLines(joinAlike(settled, gutter), gutter);
}

/** Bands of single boxes: those that cross the gutter, and those between them from top to bottom. */
export function bandsOfBoxes<T extends Box>(boxes: readonly T[], gutter: number): Band<T>[] {
  const beside = sortDown(boxes.filter((box) => !crosses(box, gutter)));
  const bands: { boxes: T[]; isAcross: boolean }[] = [];
  let next = 0;
  const add = (box: T, isAcross: boolean) => {
    const last = bands.at(-1);
    if (last?.isAcross === isAcross) last.boxes.push(box);
    else bands.push({ boxes: [box], isAcross });
  };
  for (const box of sortDown(boxes.filter((one) => crosses(one, gutter)))) {
    while (next < beside.length && centreY(beside[next] as T) < centreY(box)) add(beside[next++] as T, false);
    add(box, true);
  }
  while (next < beside.length) add(beside[next++] as T, false);
  return keepLastLines(
    bands.map((band) => ({ boxes: band.boxes, kind: kindOf(band.boxes, gutter) })),
    gutter,
  );
}

/** What of a band stands left and right of the gutter. */
export function sidesOf<T extends Box>(boxes: readonly T[], gutter: number): [left: T[], right: T[]] {
  const isLeft = (box: T) => (box.left + box.right) / 2 <= gutter;
  return [boxes.filter(isLeft), boxes.filter((box) => !isLeft(box))];
}

/** White space over this part of a line’s height parts strips; that between the lines of a column is less. */
const minWhite = 0.8;
/** Boxes higher than this, in points, are no lines of text. */
const maxLine = 12;

// Boxes between two white spaces that go from side to side.
function findStrips<T extends Box>(boxes: readonly T[]): T[][] {
  const strips: T[][] = [];
  let bottom = -Infinity;
  for (const box of sortDown(boxes)) {
    if (box.top < bottom + Math.min(box.bottom - box.top, maxLine) * minWhite) strips.at(-1)?.push(box);
    else strips.push([box]);
    bottom = Math.max(bottom, box.bottom);
  }
  return strips;
}

function kindOf(boxes: readonly Box[], gutter: number): Band<Box>["kind"] {
  if (boxes.some((box) => crosses(box, gutter))) return "across";
  const sides = sidesOf(boxes, gutter);
  if (!sides.every((side) => side.length > 0 && widthOf(side) >= minColumn)) return "cells";
  const [left, right] = sides;
  return (hasLongLines(left) && hasLongLines(right)) || !areLevel(left, right) ? "columns" : "cells";
}

function widthOf(boxes: readonly Box[]): number {
  return Math.max(...boxes.map((box) => box.right)) - Math.min(...boxes.map((box) => box.left));
}

/** Most lines of a column are at least so many times as long as they are high. */
const minProportion = 6;

function hasLongLines(boxes: readonly Box[]): boolean {
  const proportions = boxes.map((box) => (box.right - box.left) / (box.bottom - box.top)).sort((a, b) => a - b);
  return (proportions[Math.floor(boxes.length / 2)] as number) >= minProportion;
}

/** Boxes of this share stand level with their neighbours where they are cells of rows. */
const levelShare = 0.7;

// Cells stand on the same heights as their neighbours, row by row; a figure and the text beside it do not.
function areLevel(left: readonly Box[], right: readonly Box[]): boolean {
  const [few, many] = left.length < right.length ? [left, right] : [right, left];
  const centres = many.map(centreY).sort((a, b) => a - b);
  let at = 0;
  let level = 0;
  for (const box of sortDown(few)) {
    const slack = (box.bottom - box.top) * 0.2;
    while (at < centres.length && (centres[at] as number) < centreY(box) - slack) at++;
    if (at < centres.length && (centres[at] as number) <= centreY(box) + slack) level++;
  }
  return level >= few.length * levelShare;
}

// One row of columns whose lines there happen to be short: headings, last lines of paragraphs.
function isShortRow({ boxes, kind }: Band<Box>): boolean {
  return kind === "cells" && boxes.length === 2;
}

function joinAlike<T extends Box>(strips: readonly Band<T>[], gutter: number): Band<T>[] {
  const bands: { boxes: T[]; kind: Band<T>["kind"] }[] = [];
  let undecided: T[] = [];
  for (const { boxes, kind } of strips) {
    const last = bands.at(-1);
    if (kind === "cells" && sidesOf(boxes, gutter).some(({ length }) => length === 0)) undecided.push(...boxes);
    else if (last?.kind === kind) last.boxes.push(...undecided.splice(0), ...boxes);
    // What stands on one side only begins the columns below it, or ends those above.
    else if (kind === "columns" || last === undefined) bands.push({ boxes: [...undecided.splice(0), ...boxes], kind });
    else {
      last.boxes.push(...undecided.splice(0));
      bands.push({ boxes: [...boxes], kind });
    }
  }
  const last = bands.at(-1);
  if (last === undefined) return undecided.length > 0 ? [{ boxes: undecided, kind: "cells" }] : [];
  last.boxes.push(...undecided);
  return bands;
}

function keepLastLines<T extends Box>(bands: readonly Band<T>[], gutter: number): Band<T>[] {
  const kept: Band<T>[] = [];
  for (const band of bands) {
    const above = kept.at(-1);
    const isEnd = above?.kind === "across" && band.kind !== "across" && isLastLine(above.boxes.at(-1) as T, band.boxes);
    if (above === undefined || !isEnd) {
      kept.push(band);
      continue;
    }
    const [line, ...rest] = band.boxes as [T, ...T[]];
    kept[kept.length - 1] = { boxes: [...above.boxes, line], kind: "across" };
    if (rest.length > 0) kept.push({ boxes: rest, kind: kindOf(rest, gutter) });
  }
  return kept;
}

// The last line of a title or of a wide paragraph may be too short to cross the gutter itself.
function isLastLine(last: Box, [first, ...others]: readonly Box[]): boolean {
  if (first === undefined) return false;
  const height = last.bottom - last.top;
  const isAlike = Math.abs(first.bottom - first.top - height) < 1 && first.top - last.bottom < height * 0.6;
  const isAligned =
    Math.abs(first.left - last.left) < 3 || Math.abs(first.left + first.right - last.left - last.right) < 6;
  return isAlike && isAligned && !others.some((other) => other.top < first.bottom && other.bottom > first.top);
}

function crosses({ left, right }: Box, at: number): boolean {
  return left < at - 1 && right > at + 1;
}

/** Boxes from top to bottom, those of one height from left to right. */
export function sortDown<T extends Box>(boxes: readonly T[]): T[] {
  return [...boxes].sort((a, b) => a.top - b.top || a.left - b.left);
}

function centreY({ top, bottom }: Box): number {
  return (top + bottom) / 2;
}
