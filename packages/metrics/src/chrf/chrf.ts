import { MetricError } from "../metric-error.ts";
import { countMatches, countNgrams } from "../ngrams/count-matches.ts";
import { numberTokens } from "../ngrams/number-tokens.ts";
import type { Tokens } from "../ngrams/tokens.ts";
import { findPythonWords, toVisibleCodePoints } from "../python/python-text.ts";
import { requireReferences, requireSamples, type Sample } from "../samples.ts";

export interface ChrfOptions {
  /** Longest n-grams of characters: from 1 to 16, default 6. */
  readonly charOrder?: number | undefined;
  /** Longest n-grams of words: from 0 to 16, default 0; with 2 the metric is chrF++. */
  readonly wordOrder?: number | undefined;
  /** How many times as much recall counts as precision: above 0, default 2. */
  readonly beta?: number | undefined;
  readonly lowercase?: boolean | undefined;
}

/** For each order of characters, then of words: n-grams of the prediction, of the reference, and matches. */
export type ChrfStatistics = readonly OrderCounts[];
interface OrderCounts {
  readonly prediction: number;
  readonly reference: number;
  readonly matches: number;
}

/**
 * chrF of a whole test set, from 0 to 100: an F-score over n-grams of characters, without white space (Popović, "chrF", 2015;
 * with `wordOrder: 2` chrF++, 2017), bit-equal to sacreBLEU 2.6.0 (`corpus_chrf`). Works for every language without a
 * tokenizer. Throws `no_samples`, `no_references`, `bad_option`.
 */
export function corpusChrf(samples: readonly Sample[], options: ChrfOptions = {}): number {
  requireSamples(samples);
  requireOptions(options);
  let sum: ChrfStatistics | undefined;
  for (const sample of samples) {
    const statistics = chrfStatistics(sample, options);
    sum = sum === undefined ? statistics : addChrfStatistics(sum, statistics);
  }
  return scoreChrf(sum as ChrfStatistics, options);
}

/** chrF of one sample, from 0 to 100; with several references that of the best one. */
export const sentenceChrf = (sample: Sample, options: ChrfOptions = {}): number => corpusChrf([sample], options);

/** The statistics of one sample, those of the reference that scores best. They add up to those of a test set. */
export function chrfStatistics({ prediction, references }: Sample, options: ChrfOptions = {}): ChrfStatistics {
  requireReferences(references);
  let best: ChrfStatistics | undefined;
  let bestScore = -1;
  for (const reference of references) {
    const statistics = compare(prediction, reference, options);
    const score = scoreChrf(statistics, options);
    if (score <= bestScore) continue;
    best = statistics;
    bestScore = score;
  }
  return best as ChrfStatistics;
}

/** The statistics of two parts together. */
export const addChrfStatistics = (one: ChrfStatistics, other: ChrfStatistics): ChrfStatistics =>
  one.map((counts, index) => {
    const more = other[index] as OrderCounts;
    return {
      prediction: counts.prediction + more.prediction,
      reference: counts.reference + more.reference,
      matches: counts.matches + more.matches,
    };
  });

/** chrF of summed statistics, from 0 to 100. */
export function scoreChrf(statistics: ChrfStatistics, { beta = 2 }: ChrfOptions = {}): number {
  const factor = beta ** 2;
  let [precision, recall, orders] = [0, 0, 0];
  for (const counts of statistics) {
    if (counts.prediction === 0 || counts.reference === 0) continue;
    precision += counts.matches / counts.prediction;
    recall += counts.matches / counts.reference;
    orders++;
  }
  if (orders === 0) return 0;
  precision /= orders;
  recall /= orders;
  if (precision + recall === 0) return 0;
  return 100 * (((1 + factor) * precision * recall) / (factor * precision + recall));
}

function compare(prediction: string, reference: string, options: ChrfOptions): ChrfStatistics {
  const { charOrder = 6, wordOrder = 0, lowercase = false } = options;
  const [hypothesis, target] = lowercase
    ? [prediction.toLowerCase(), reference.toLowerCase()]
    : [prediction, reference];
  const characters = countOrders(toVisibleCodePoints(hypothesis), toVisibleCodePoints(target), charOrder);
  if (wordOrder === 0) return characters;
  const [hypothesisWords, targetWords] = numberTokens([splitWords(hypothesis), splitWords(target)]);
  return [...characters, ...countOrders(hypothesisWords as Int32Array, targetWords as Int32Array, wordOrder)];
}

function countOrders(hypothesis: Int32Array, reference: Int32Array, orders: number): OrderCounts[] {
  const matches = countMatches(hypothesis, [reference], orders);
  const references = countNgrams(reference.length, orders);
  return countNgrams(hypothesis.length, orders).map((prediction, index) => ({
    // As in sacreBLEU: an order that the reference has no n-gram of counts for neither side.
    prediction: references[index] === 0 ? 0 : prediction,
    reference: references[index] as number,
    matches: matches[index] as number,
  }));
}

/** Words by white space, of which one ASCII mark is split off: the last character, or else the first. */
function splitWords(text: string): Tokens {
  const { bounds } = findPythonWords(text);
  const split: number[] = [];
  for (let index = 0; index < bounds.length; index += 2) {
    const [start, end] = [bounds[index] as number, bounds[index + 1] as number];
    const isLong = end - start > 1;
    split.push(start);
    if (isLong && isPunctuation(text.charCodeAt(end - 1))) split.push(end - 1, end - 1);
    else if (isLong && isPunctuation(text.charCodeAt(start))) split.push(start + 1, start + 1);
    split.push(end);
  }
  return { text, bounds: split };
}

/** Whether Python's `string.punctuation` holds it. */
const isPunctuation = (unit: number): boolean =>
  unit < 0x7f && unit > 0x20 && !((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a) && !(unit >= 0x30 && unit <= 0x39);

function requireOptions({ charOrder = 6, wordOrder = 0, beta = 2 }: ChrfOptions): void {
  const isOrder = (order: number, least: number): boolean => Number.isInteger(order) && order >= least && order <= 16;
  if (!isOrder(charOrder, 1)) throw new MetricError("bad_option", "charOrder must be a whole number from 1 to 16.");
  if (!isOrder(wordOrder, 0)) throw new MetricError("bad_option", "wordOrder must be a whole number from 0 to 16.");
  if (!(Number.isFinite(beta) && beta > 0)) throw new MetricError("bad_option", "beta must be a number above 0.");
}
