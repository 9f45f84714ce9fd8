import { requireReferences, requireSamples, type Sample } from "../samples.ts";
import { normaliseAnswer, normaliseCjkAnswer } from "./normalise-answer.ts";

/** `squad`: words; `cjk`: words, where every ideograph and kana is one of its own. */
export type F1Mode = "squad" | "cjk";

/**
 * F1 of the words that prediction and reference share, from 0 to 1, of several references the best: bit-equal to SQuAD's
 * evaluation script v1.1 (`f1_score`), by which two empty answers score 0. By `squad` a Chinese answer is one word: use `cjk`,
 * which is this project's own.
 */
export function tokenF1({ prediction, references }: Sample, mode: F1Mode = "squad"): number {
  requireReferences(references);
  const split = splitters[mode];
  const words = split(prediction);
  return references.reduce((best, reference) => Math.max(best, compare(words, split(reference))), 0);
}

/** The mean over a test set, from 0 to 1. Throws `no_samples`. */
export function corpusTokenF1(samples: readonly Sample[], mode: F1Mode = "squad"): number {
  requireSamples(samples);
  return samples.reduce((sum, sample) => sum + tokenF1(sample, mode), 0) / samples.length;
}

const splitters: Readonly<Record<F1Mode, (text: string) => readonly string[]>> = {
  squad: (text) => normaliseAnswer(text).split(" ").filter(Boolean),
  cjk: (text) =>
    normaliseCjkAnswer(text).match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana} ]+/gu,
    ) ?? [],
};

function compare(words: readonly string[], expected: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of words) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    shared++;
  }
  if (shared === 0) return 0;
  const precision = shared / words.length;
  const recall = shared / expected.length;
  return (2 * precision * recall) / (precision + recall);
}
