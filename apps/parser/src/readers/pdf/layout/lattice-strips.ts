import type { Box } from "../page-content.ts";

/** Places of ruling lines, in ascending order. */
export interface GridLines {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
}

/** Lines this close, in points, with no text between them are the two sides of one border. */
const maxStripWidth = 8;
const maxStripHeight = 6;

/**
 * Puts lines together that stand so close to one another that no text is between them: double borders, the borders of cells
 * that stand apart, and those of a table within a cell.
 */
export function dropStrips({ xs, ys }: GridLines, lines: readonly { readonly words: readonly Box[] }[]): GridLines {
  const hasStrip = isClose(xs, maxStripWidth) || isClose(ys, maxStripHeight);
  if (!hasStrip) return { xs, ys };
  const [left = 0, right = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)];
  const middles = lines
    .flatMap(({ words }) => words)
    .map((word) => ({ x: (word.left + word.right) / 2, y: (word.top + word.bottom) / 2 }))
    .filter(({ x, y }) => x > left && x < right && y > top && y < bottom);
  return {
    xs: withoutStrips(
      xs,
      maxStripWidth,
      middles.map(({ x }) => x),
    ),
    ys: withoutStrips(
      ys,
      maxStripHeight,
      middles.map(({ y }) => y),
    ),
  };
}

function isClose(places: readonly number[], limit: number): boolean {
  return places.some((place, index) => index > 0 && place - (places[index - 1] as number) < limit);
}

// Of lines that stand close the outer one is kept at the sides, the middle one elsewhere.
function withoutStrips(places: readonly number[], limit: number, middles: readonly number[]): number[] {
  const groups: number[][] = [];
  for (const [index, place] of places.entries()) {
    const before = places[index - 1];
    const isStrip =
      before !== undefined && place - before < limit && !middles.some((middle) => middle > before && middle < place);
    if (isStrip) groups.at(-1)?.push(place);
    else groups.push([place]);
  }
  return groups.map((group, index) => {
    const at = index === 0 ? 0 : index === groups.length - 1 ? group.length - 1 : group.length >> 1;
    return group[at] as number;
  });
}
