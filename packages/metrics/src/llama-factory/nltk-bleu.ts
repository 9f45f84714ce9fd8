import { countMatches, countNgrams } from "../ngrams/count-matches.ts";
import { sumExactly } from "../python/python-numbers.ts";

/**
 * BLEU-4 of one pair, from 0 to 1, as NLTK's `sentence_bleu` with `SmoothingFunction().method3`: an order without a match
 * counts as 1 / (2^k · n-grams) for the k-th such order. Equal to NLTK 3.10 but for the last bit of `exp` and `log`.
 */
export function nltkBleu(hypothesis: Int32Array, reference: Int32Array): number {
  const matches = countMatches(hypothesis, [reference], 4);
  if (matches[0] === 0) return 0;
  let missing = 0;
  const logarithms = countNgrams(hypothesis.length, 4).map((count, index) => {
    const total = Math.max(1, count);
    const matched = matches[index] as number;
    return 0.25 * Math.log(matched === 0 ? 1 / (2 ** ++missing * total) : matched / total);
  });
  const brevityPenalty = hypothesis.length > reference.length ? 1 : Math.exp(1 - reference.length / hypothesis.length);
  return brevityPenalty * Math.exp(sumExactly(logarithms));
}
