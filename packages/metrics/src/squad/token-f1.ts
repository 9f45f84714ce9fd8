import { requireReferences, requireSamples, type Sample } from "../samples.ts";
import { countMatches } from "../ngrams/count-matches.ts";
import { numberTokens } from "../ngrams/number-tokens.ts";
import type { Tokens } from "../ngrams/tokens.ts";
import { findAnswerWords, normaliseCjkAnswer } from "./normalise-answer.ts";

/** `squad`: words; `cjk`: words, where every ideograph and kana is one of its own. */
export type F1Mode = "squad" | "cjk";

/**
 * F1 of the words that prediction and reference share, from 0 to 1, of several references the best: bit-equal to SQuAD's
 * evaluation script v1.1 (`f1_score`), by which two empty answers score 0. By `squad` a Chinese answer is one word: use `cjk`,
 * which is this project's own.
 */
export function tokenF1({ prediction, references }: Sample, mode: F1Mode = "squad"): number {
  requireReferences(references);
  const [words, ...expected] = numberTokens([prediction, ...references].map(splitters[mode])) as [Int32Array];
  return expected.reduce((best, others) => Math.max(best, compare(words, others)), 0);
}

/** The mean over a test set, from 0 to 1. Throws `no_samples`. */
export function corpusTokenF1(samples: readonly Sample[], mode: F1Mode = "squad"): number {
  requireSamples(samples);
  return samples.reduce((sum, sample) => sum + tokenF1(sample, mode), 0) / samples.length;
}

const splitters: Readonly<Record<F1Mode, (answer: string) => Tokens>> = { squad: findAnswerWords, cjk: splitCjk };

function splitCjk(answer: string): Tokens {
  const text = normaliseCjkAnswer(answer);
  const bounds: number[] = [];
  for (const { 0: word, index } of text.matchAll(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana} ]+/gu,
  )) {
    bounds.push(index, index + word.length);
  }
  return { text, bounds };
}

function compare(words: Int32Array, expected: Int32Array): number {
  const shared = countMatches(words, [expected], 1)[0] as number;
  if (shared === 0) return 0;
  const precision = shared / words.length;
  const recall = shared / expected.length;
  return (2 * precision * recall) / (precision + recall);
}
