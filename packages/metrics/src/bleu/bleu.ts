import { MetricError } from "../metric-error.ts";
import { requireSamples, type Sample } from "../samples.ts";
import { type BleuScore, type BleuScoreOptions, scoreBleu } from "./bleu-score.ts";
import {
  addBleuStatistics,
  type BleuStatistics,
  bleuStatistics,
  type BleuTextOptions,
  defaultMaxOrder,
} from "./bleu-statistics.ts";

export type BleuOptions = BleuTextOptions & BleuScoreOptions;

/**
 * BLEU of a whole test set, from 0 to 100: Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation",
 * 2002, as sacreBLEU 2.6.0 computes it (`corpus_bleu`). It is not the mean of the sentences' scores. A set whose predictions
 * have no 4-gram scores 0 even where they are right: set `effectiveOrder` for short answers.
 *
 * Equal to sacreBLEU but for the last bits of `exp` and `log` (1e-9 of 100). Throws `no_samples`, `no_references`,
 * `bad_option`.
 */
export function corpusBleu(samples: readonly Sample[], options: BleuOptions = {}): BleuScore {
  requireSamples(samples);
  requireOrder(options);
  let sum: BleuStatistics | undefined;
  for (const sample of samples) {
    const statistics = bleuStatistics(sample, options);
    sum = sum === undefined ? statistics : addBleuStatistics(sum, statistics);
  }
  return scoreBleu(sum as BleuStatistics, options);
}

/** BLEU of one sample, from 0 to 100, as `sentence_bleu` of sacreBLEU 2.6.0: with the effective order, unless told otherwise. */
export const sentenceBleu = (sample: Sample, options: BleuOptions = {}): BleuScore =>
  corpusBleu([sample], { ...options, effectiveOrder: options.effectiveOrder ?? true });

function requireOrder({ maxOrder = defaultMaxOrder }: BleuOptions): void {
  if (Number.isInteger(maxOrder) && maxOrder >= 1 && maxOrder <= 16) return;
  throw new MetricError("bad_option", `maxOrder must be a whole number from 1 to 16, but is ${maxOrder}.`);
}
