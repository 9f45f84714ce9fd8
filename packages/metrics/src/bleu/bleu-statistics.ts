import { countMatches, countNgrams } from "../ngrams/count-matches.ts";
import { numberTokens } from "../ngrams/number-tokens.ts";
import type { Tokens } from "../ngrams/tokens.ts";
import { requireReferences, type Sample } from "../samples.ts";
import { type TokenizerName, tokenizers } from "../tokenizers/tokenizers.ts";

export interface BleuTextOptions {
  /** Default `13a`. For Chinese take `zh`: by 13a a Chinese sentence is hardly more than one token. */
  readonly tokenizer?: TokenizerName | undefined;
  readonly lowercase?: boolean | undefined;
  /** The longest n-grams that count: from 1 to 16, default 4. */
  readonly maxOrder?: number | undefined;
}

/** What BLEU needs to know of texts. Statistics of parts add up to those of the whole, in any order. */
export interface BleuStatistics {
  readonly matches: readonly number[];
  readonly totals: readonly number[];
  readonly predictionLength: number;
  readonly referenceLength: number;
}

/** The statistics of one sample. Throws `no_references`. Time grows with the length of the texts. */
export function bleuStatistics({ prediction, references }: Sample, options: BleuTextOptions = {}): BleuStatistics {
  requireReferences(references);
  const tokenize = tokenizers[options.tokenizer ?? "13a"];
  const prepare = (text: string): Tokens => tokenize(options.lowercase === true ? text.toLowerCase() : text);
  const [hypothesis, ...others] = numberTokens([prediction, ...references].map(prepare));
  const { length } = hypothesis as Int32Array;
  const orders = options.maxOrder ?? defaultMaxOrder;
  return {
    matches: countMatches(hypothesis as Int32Array, others, orders),
    totals: countNgrams(length, orders),
    predictionLength: length,
    referenceLength: closestLength(
      length,
      others.map((reference) => reference.length),
    ),
  };
}

/** The statistics of two parts together. */
export function addBleuStatistics(one: BleuStatistics, other: BleuStatistics): BleuStatistics {
  const add = (counts: readonly number[], more: readonly number[]): number[] =>
    counts.map((count, index) => count + (more[index] as number));
  return {
    matches: add(one.matches, other.matches),
    totals: add(one.totals, other.totals),
    predictionLength: one.predictionLength + other.predictionLength,
    referenceLength: one.referenceLength + other.referenceLength,
  };
}

export const defaultMaxOrder = 4;

/** The reference length nearest to that of the prediction; of two that are equally near, the shorter. */
const closestLength = (length: number, references: readonly number[]): number =>
  references.reduce((closest, other) => {
    const difference = Math.abs(other - length) - Math.abs(closest - length);
    return difference < 0 || (difference === 0 && other < closest) ? other : closest;
  });
