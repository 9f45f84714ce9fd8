import type { MetricName } from "@attune/contracts/compute/eval-results.ts";
import { corpusBleu, sentenceBleu } from "@attune/metrics/bleu/bleu.ts";
import { corpusChrf, sentenceChrf } from "@attune/metrics/chrf/chrf.ts";
import { rouge, type RougeType } from "@attune/metrics/rouge/rouge.ts";
import type { Sample } from "@attune/metrics/samples.ts";
import { bleuSignature, chrfSignature } from "@attune/metrics/signature.ts";
import { createTextCosine } from "@attune/metrics/similarity/cosine-similarity.ts";
import { textSimilarity } from "@attune/metrics/similarity/text-similarity.ts";
import { exactMatch } from "@attune/metrics/squad/exact-match.ts";
import { tokenF1 } from "@attune/metrics/squad/token-f1.ts";
import { tokenizers } from "@attune/metrics/tokenizers/tokenizers.ts";

export interface Scorer {
  readonly setting: string;
  readonly scoreOne: (sample: Sample) => number;
  /** The score of the set, of those of its samples or of the samples themselves. */
  readonly scoreAll: (each: readonly number[]) => number;
}

/** How a metric is computed for texts whose words are written with spaces, or without (`cjk`). */
export function scorers(name: MetricName, samples: readonly Sample[], language: "cjk" | "spaced"): Scorer {
  const isCjk = language === "cjk";
  const squad = isCjk ? "cjk" : "squad";
  switch (name) {
    case "bleu":
      return bleu(samples, isCjk ? "zh" : "13a");
    case "chrf":
      return { setting: chrfSignature(samples), scoreOne: sentenceChrf, scoreAll: () => corpusChrf(samples) };
    case "exact_match":
      return meanOf(`words:${squad}`, (sample) => exactMatch(sample, squad));
    case "f1":
      return meanOf(`words:${squad}`, (sample) => tokenF1(sample, squad));
    case "similarity":
      return meanOf("levenshtein", textSimilarity);
    case "cosine":
      return cosine(samples);
    default:
      return rougeOf(name, isCjk);
  }
}

function bleu(samples: readonly Sample[], tokenizer: "zh" | "13a"): Scorer {
  return {
    setting: bleuSignature(samples, { tokenizer }),
    scoreOne: (sample) => sentenceBleu(sample, { tokenizer }).score,
    scoreAll: () => corpusBleu(samples, { tokenizer }).score,
  };
}

function cosine(samples: readonly Sample[]): Scorer {
  const { signature, score } = createTextCosine(samples.flatMap(({ references }) => references));
  return meanOf(signature, score);
}

function rougeOf(type: RougeType, isCjk: boolean): Scorer {
  const options = { types: [type], ...(isCjk && { tokenize: tokenizers.zh }) };
  return meanOf(
    `f:mean|tok:${isCjk ? "zh" : "rouge_score"}|stem:no`,
    (sample) => rouge(sample, options)[type]?.fmeasure ?? 0,
  );
}

const meanOf = (setting: string, scoreOne: Scorer["scoreOne"]): Scorer => ({
  setting,
  scoreOne,
  scoreAll: (each) => each.reduce((sum, score) => sum + score, 0) / each.length,
});
