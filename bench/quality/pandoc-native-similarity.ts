import type { FlatBlock, FlatCell } from "./pandoc-native-blocks.ts";

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

/** Mean over the true tables of the F1 of cells that stand at their place with their text; tables are matched in order. */
export function tableSimilarity(truth: readonly FlatCell[][], found: readonly FlatCell[][]): number | undefined {
  if (truth.length === 0) return undefined;
  return alignedWeight(truth, found, cellF1) / Math.max(truth.length, found.length);
}

function cellF1(truth: readonly FlatCell[], found: readonly FlatCell[]): number {
  if (truth.length + found.length === 0) return 1;
  const keyOf = ({ row, column, text }: FlatCell): string => `${row} ${column} ${text}`;
  const wanted = new Set(truth.map(keyOf));
  const matched = found.filter((cell) => wanted.has(keyOf(cell))).length;
  return (2 * matched) / (truth.length + found.length);
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
