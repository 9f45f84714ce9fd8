import type { Box } from "../page-content.ts";
import type { PlacedBlock } from "./to-blocks.ts";

/** A figure that the file describes in words, in the frame of its page. */
export interface PlacedFigure extends Box {
  readonly page: number;
  readonly alt: string;
}

/** By the block behind which they stand, in its order, the figures of a document. */
export type FigurePlaces = ReadonlyMap<PlacedBlock, readonly PlacedFigure[]>;

/** Where figures stand in the reading order of blocks: each behind the block in which it lies, or the nearest one above it. */
export function placeFigures(blocks: readonly PlacedBlock[], figures: readonly PlacedFigure[]): FigurePlaces {
  const places = new Map<PlacedBlock, PlacedFigure[]>();
  for (const figure of figures.toSorted((a, b) => a.page - b.page || a.top - b.top)) {
    const anchor = findAnchor(blocks, figure);
    if (anchor === undefined) continue;
    const known = places.get(anchor);
    if (known === undefined) places.set(anchor, [figure]);
    else known.push(figure);
  }
  return places;
}

// Without a block above it in its column, a figure stands behind the last block of the pages before it, or the first of all.
function findAnchor(blocks: readonly PlacedBlock[], figure: PlacedFigure): PlacedBlock | undefined {
  let nearest: PlacedBlock | undefined;
  for (const block of blocks) {
    if (block.page !== figure.page) continue;
    if (holds(block, figure)) return block;
    const isAbove = block.top < figure.top && block.left < figure.right && block.right > figure.left;
    if (isAbove && (nearest === undefined || block.bottom >= nearest.bottom)) nearest = block;
  }
  return nearest ?? blocks.findLast(({ page }) => page < figure.page) ?? blocks[0];
}

function holds(block: Box, figure: Box): boolean {
  const [x, y] = [(figure.left + figure.right) / 2, (figure.top + figure.bottom) / 2];
  return x > block.left && x < block.right && y > block.top && y < block.bottom;
}
