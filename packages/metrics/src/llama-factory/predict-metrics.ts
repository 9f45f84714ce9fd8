import { roundToFourPlaces } from "../python/python-numbers.ts";
import { stripPython, toCodePoints } from "../python/python-text.ts";
import { requireSamples } from "../samples.ts";
import { nltkBleu } from "./nltk-bleu.ts";
import { rougeChinese } from "./rouge-chinese.ts";

/** Per cent, with four decimals. */
export type PredictMetrics = Readonly<Record<"rouge-1" | "rouge-2" | "rouge-l" | "bleu-4", number>>;

/**
 * The numbers that LLaMA-Factory 0.9.4 reports for one prediction (`predict_rouge-1`, …, `predict_bleu-4`): ROUGE of
 * rouge_chinese over jieba's words, for every language, and NLTK's BLEU-4 over characters. `cutWords` is that of `loadJieba`.
 * Throws `too_long` (see `lcsLength`).
 */
export function predictMetrics(
  { prediction, reference }: { readonly prediction: string; readonly reference: string },
  cutWords: (text: string) => readonly string[],
): PredictMetrics {
  const [hypothesis, target] = [cutWords(prediction).join(" "), cutWords(reference).join(" ")];
  const isEmpty = [hypothesis, target].some((text) => stripPython(text) === "");
  const scores = isEmpty ? { "rouge-1": 0, "rouge-2": 0, "rouge-l": 0 } : rougeChinese(hypothesis, target);
  return {
    "rouge-1": toPerCent(scores["rouge-1"]),
    "rouge-2": toPerCent(scores["rouge-2"]),
    "rouge-l": toPerCent(scores["rouge-l"]),
    "bleu-4": toPerCent(nltkBleu(toCodePoints(prediction), toCodePoints(reference))),
  };
}

/** The means of the rounded numbers, as LLaMA-Factory writes them for a data set. Throws `no_samples`. */
export function meanPredictMetrics(metrics: readonly PredictMetrics[]): PredictMetrics {
  requireSamples(metrics);
  const mean = (name: keyof PredictMetrics): number =>
    metrics.reduce((sum, scores) => sum + scores[name], 0) / metrics.length;
  return {
    "rouge-1": mean("rouge-1"),
    "rouge-2": mean("rouge-2"),
    "rouge-l": mean("rouge-l"),
    "bleu-4": mean("bleu-4"),
  };
}

const toPerCent = (share: number): number => roundToFourPlaces(share * 100);
