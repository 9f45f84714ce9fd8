import type { Box } from "../page-content.ts";
import { findGutters } from "./gutters.ts";
import { type Band, bandsOfBoxes, bandsOfStrips, sidesOf, sortDown } from "./page-bands.ts";

/** A part of the page that holds one column of text, from top to bottom. */
export type Region<T extends Box> = readonly T[];

const maxDepth = 24;

/**
 * Splits the lines and other boxes of a page into regions in reading order, by recursive cuts along gutters. What crosses a
 * gutter (a title, a wide table) is a region of its own between what stands above and below it.
 *
 * After Nagy and Seth, “Hierarchical representation of optically scanned documents” (1984), with gutters found by the votes
 * of neighbours on the same height instead of by empty projections.
 */
export function findRegions<T extends Box>(boxes: readonly T[], depth = 0): Region<T>[] {
  if (boxes.length === 0) return [];
  const parts = boxes.length > 1 && depth < maxDepth ? partBoxes(boxes) : [boxes];
  return parts.length > 1 ? parts.flatMap((part) => findRegions(part, depth + 1)) : [sortDown(boxes)];
}

function partBoxes<T extends Box>(boxes: readonly T[]): (readonly T[])[] {
  const gutters = findGutters(boxes);
  return (
    partAlong(gutters, (gutter) => bandsOfStrips(boxes, gutter)) ??
    // A gutter between things that are no columns (cells, labels) still tells apart what stands above and below them.
    several(gutters.slice(0, 1).flatMap((gutter) => bandsOfStrips(boxes, gutter).map((band) => band.boxes))) ??
    // Where all hangs together from top to bottom, single lines that cross a gutter part the columns.
    partAlong(gutters, (gutter) => bandsOfBoxes(boxes, gutter)) ?? [boxes]
  );
}

function several<T>(parts: T[]): T[] | undefined {
  return parts.length > 1 ? parts : undefined;
}

// Along the first gutter that has columns on either side.
function partAlong<T extends Box>(
  gutters: readonly number[],
  bandsAt: (gutter: number) => Band<T>[],
): (readonly T[])[] | undefined {
  for (const gutter of gutters) {
    const parts = bandsAt(gutter).map((band) => columnsOf(band, gutter));
    if (parts.some(({ length }) => length > 1)) return parts.flat();
  }
  return undefined;
}

function columnsOf<T extends Box>({ boxes, kind }: Band<T>, gutter: number): (readonly T[])[] {
  return kind === "columns" ? sidesOf(boxes, gutter) : [boxes];
}
