import { lcsLength } from "../alignment/lcs-length.ts";
import { numberTokens } from "../ngrams/number-tokens.ts";
import type { Tokens } from "../ngrams/tokens.ts";
import { findPythonWords, stripPythonEnd } from "../python/python-text.ts";

/**
 * F of rouge_chinese 1.0.3 for two texts whose words are separated by spaces, from 0 to 1: rouge-1 and rouge-2 over sets of
 * n-grams, rouge-l by the longest common subsequence of all words. Both texts must hold a character that is no white space.
 */
export function rougeChinese(
  prediction: string,
  reference: string,
): Readonly<Record<"rouge-1" | "rouge-2" | "rouge-l", number>> {
  const [hypothesis, target] = numberTokens([splitWords(prediction), splitWords(reference)]) as [
    Int32Array,
    Int32Array,
  ];
  const common = lcsLength(hypothesis, target);
  return {
    "rouge-1": overlap(new Set(hypothesis), new Set(target)),
    "rouge-2": overlap(toPairs(hypothesis), toPairs(target)),
    "rouge-l": fmeasure(common / hypothesis.length, common / target.length),
  };
}

/** Words in order. A sentence of nothing but white space becomes one empty word, as in the original. */
function splitWords(given: string): Tokens {
  const text = cutSentences(given);
  const bounds: number[] = [];
  let start = 0;
  for (const sentence of text.split("\n")) {
    const words = findPythonWords(sentence).bounds;
    if (sentence !== "" && words.length === 0) bounds.push(start, start);
    for (const place of words) bounds.push(start + place);
    start += sentence.length + 1;
  }
  return { text, bounds };
}

/** The text with one sentence a line. */
const cutSentences = (text: string): string =>
  stripPythonEnd(
    text
      .replace(/([。！？?])([^”’])/gu, "$1\n$2")
      .replace(/(\.{6})([^”’])/gu, "$1\n$2")
      .replace(/(…{2})([^”’])/gu, "$1\n$2")
      .replace(/([。！？?][”’])([^，。！？?])/gu, "$1\n$2"),
  );

function toPairs(words: Int32Array): Set<number> {
  const pairs = new Set<number>();
  for (let at = 1; at < words.length; at++) pairs.add((words[at - 1] as number) * 2 ** 26 + (words[at] as number));
  return pairs;
}

function overlap(ours: ReadonlySet<number>, theirs: ReadonlySet<number>): number {
  let shared = 0;
  for (const ngram of ours) if (theirs.has(ngram)) shared++;
  return fmeasure(ours.size === 0 ? 0 : shared / ours.size, theirs.size === 0 ? 0 : shared / theirs.size);
}

const fmeasure = (precision: number, recall: number): number =>
  2 * ((precision * recall) / (precision + recall + 1e-8));
