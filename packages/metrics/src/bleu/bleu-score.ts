import { MetricError } from "../metric-error.ts";
import type { BleuStatistics } from "./bleu-statistics.ts";

/** How an order without a match counts: Chen and Cherry, "Smoothing Techniques for Sentence-Level BLEU", 2014. */
export type BleuSmoothing = "none" | "floor" | "add-k" | "exp";

export interface BleuScoreOptions {
  /** Default `exp`, that of sacreBLEU. */
  readonly smoothing?: BleuSmoothing | undefined;
  /** For `floor` (default 0.1) and `add-k` (default 1): at least 0. */
  readonly smoothingValue?: number | undefined;
  /** Whether orders that the text is too short for are left out, instead of making the score 0. */
  readonly effectiveOrder?: boolean | undefined;
}

export interface BleuScore {
  /** From 0 to 100; rounding can make a perfect score 100.00000000000004. */
  readonly score: number;
  /** Matched and all n-grams of the predictions for the orders 1, 2, …; smoothing by `add-k` has added to them. */
  readonly counts: readonly number[];
  readonly totals: readonly number[];
  /** Per cent, for the orders 1, 2, … */
  readonly precisions: readonly number[];
  /** From 0 to 1: below 1 where the predictions are shorter than the references. */
  readonly brevityPenalty: number;
  /** Tokens of the predictions, and of the references that are nearest in length. */
  readonly predictionLength: number;
  readonly referenceLength: number;
}

/** BLEU of summed statistics, by the formula of sacreBLEU 2.6.0. Throws `bad_option`. */
export function scoreBleu(statistics: BleuStatistics, options: BleuScoreOptions = {}): BleuScore {
  const { predictionLength, referenceLength } = statistics;
  const smoothing = options.smoothing ?? "exp";
  const value = smoothingValue(smoothing, options.smoothingValue);
  const brevityPenalty = penaliseBrevity(predictionLength, referenceLength);
  const lengths = { brevityPenalty, predictionLength, referenceLength };
  const { matches, totals } = statistics;
  if (matches.every((count) => count === 0)) {
    return { score: 0, counts: matches, totals, precisions: matches.map(() => 0), ...lengths };
  }
  const smoothed = smooth(statistics, smoothing, value);
  const order = options.effectiveOrder === true ? smoothed.orders : matches.length;
  let logarithms = 0;
  for (const precision of smoothed.precisions.slice(0, order)) logarithms += floorLog(precision);
  const { counts, precisions } = smoothed;
  return {
    score: brevityPenalty * Math.exp(logarithms / order),
    counts,
    totals: smoothed.totals,
    precisions,
    ...lengths,
  };
}

/** Values of the methods that take one, where none is given. */
export const smoothingDefaults: Readonly<Record<BleuSmoothing, number | undefined>> = {
  none: undefined,
  floor: 0.1,
  "add-k": 1,
  exp: undefined,
};

function smoothingValue(smoothing: BleuSmoothing, given: number | undefined): number {
  const value = given ?? smoothingDefaults[smoothing] ?? 0;
  if (Number.isFinite(value) && value >= 0) return value;
  throw new MetricError("bad_option", `The smoothing value must be a number of at least 0, but is ${value}.`);
}

function penaliseBrevity(predictionLength: number, referenceLength: number): number {
  if (predictionLength >= referenceLength) return 1;
  return predictionLength > 0 ? Math.exp(1 - referenceLength / predictionLength) : 0;
}

interface Smoothed {
  readonly counts: number[];
  readonly totals: number[];
  readonly precisions: number[];
  /** How many orders the predictions have n-grams of. */
  orders: number;
}

function smooth({ matches, totals }: BleuStatistics, smoothing: BleuSmoothing, value: number): Smoothed {
  const result: Smoothed = { counts: [...matches], totals: [...totals], precisions: matches.map(() => 0), orders: 0 };
  let halvings = 1;
  for (let index = 0; index < matches.length; index++) {
    const added = smoothing === "add-k" && index > 0 ? value : 0;
    const count = (result.counts[index] = (matches[index] as number) + added);
    const total = (result.totals[index] = (totals[index] as number) + added);
    if (total === 0) break;
    result.orders = index + 1;
    if (count > 0) result.precisions[index] = (100 * count) / total;
    else if (smoothing === "exp") result.precisions[index] = 100 / ((halvings *= 2) * total);
    else if (smoothing === "floor") result.precisions[index] = (100 * value) / total;
  }
  return result;
}

const floorLog = (value: number): number => (value === 0 ? -9_999_999_999 : Math.log(value));
