import type { FlatBlock, FlatCell, FlatPlace } from "./pandoc-native-blocks.ts";

/**
 * How alike two sequences of blocks are, from 0 to 1: 2·A / (n + m), where A is the weight of the best alignment in order.
 * A pair weighs the likeness of its words, in full when both are of one kind, three quarters for headings of different
 * levels, half for different kinds.
 */
export function blockSimilarity(truth: readonly FlatBlock[], found: readonly FlatBlock[]): number {
  if (truth.length + found.length === 0) return 1;
  const aligned = alignedWeight(truth, found, (a, b) => kindWeight(a.kind, b.kind) * wordSimilarity(a.text, b.text));
  return (2 * aligned) / (truth.length + found.length);
}

function kindWeight(a: string, b: string): number {
  if (a === b) return 1;
  return /^h\d$/.test(a) && /^h\d$/.test(b) ? 0.75 : 0.5;
}

/** 2·LCS / (n + m) over the words of two texts. */
export function wordSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const left = a.split(" ");
  const right = b.split(" ");
  return (2 * alignedWeight(left, right, (x, y) => (x === y ? 1 : 0))) / (left.length + right.length);
}

/**
 * Mean over the true tables of the F1 of cells that stand at their place with their text; tables are matched in order. Truth in
 * Markdown has no way to say that a cell spans and repeats it in each place that it covers: where the truth has no span, a
 * cell of an answer counts once or at each of its places, whichever is nearer. Where the truth has spans, it counts once.
 */
export function tableSimilarity(truth: readonly FlatCell[][], found: readonly FlatCell[][]): number | undefined {
  if (truth.length === 0) return undefined;
  return alignedWeight(truth, found, cellF1) / Math.max(truth.length, found.length);
}

function cellF1(truth: readonly FlatCell[], found: readonly FlatCell[]): number {
  const hasSpans = truth.some(({ rowSpan, columnSpan }) => rowSpan > 1 || columnSpan > 1);
  return hasSpans ? placeF1(truth, found) : Math.max(placeF1(truth, found), placeF1(truth, coveredBy(found)));
}

function placeF1(truth: readonly FlatPlace[], found: readonly FlatPlace[]): number {
  if (truth.length + found.length === 0) return 1;
  const keyOf = ({ row, column, text }: FlatPlace): string => `${row} ${column} ${text}`;
  const wanted = new Set(truth.map(keyOf));
  const matched = found.filter((place) => wanted.has(keyOf(place))).length;
  return (2 * matched) / (truth.length + found.length);
}

function coveredBy(cells: readonly FlatCell[]): FlatPlace[] {
  const rowCount = Math.max(...cells.map(({ row }) => row)) + 1;
  return cells.flatMap(({ row, column, text, rowSpan, columnSpan }) =>
    Array.from({ length: Math.min(rowSpan, rowCount - row) }, (_, down) =>
      Array.from({ length: columnSpan }, (__, right) => ({ row: row + down, column: column + right, text })),
    ).flat(),
  );
}

function alignedWeight<Item>(a: readonly Item[], b: readonly Item[], weigh: (a: Item, b: Item) => number): number {
  let above = new Float64Array(b.length + 1);
  for (const item of a) {
    const row = new Float64Array(b.length + 1);
    for (const [index, other] of b.entries()) {
      const both = (above[index] ?? 0) + weigh(item, other);
      row[index + 1] = Math.max(above[index + 1] ?? 0, row[index] ?? 0, both);
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
