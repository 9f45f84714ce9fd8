import * as z from "zod";

const count = z.int().nonnegative();
const score = z.number().nullable();

/** Names of files in `output/` of an evaluation's run folder. */
export const evalFiles = {
  results: "eval_results.json",
  predictions: "predictions.jsonl",
  scores: "scores.jsonl",
  record: "evaluation.json",
} as const;

/**
 * A metric of an evaluation. bleu and chrf go from 0 to 100, all others from 0 to 1; rouge is the mean of F.
 */
export const metricName = z.union([
  z.enum(["bleu", "chrf", "rougeL", "rougeLsum", "cosine", "exact_match", "f1", "similarity"]),
  z.templateLiteral(["rouge", z.enum(["1", "2", "3", "4", "5", "6", "7", "8", "9"])]),
]);
export type MetricName = z.infer<typeof metricName>;

/** One line of `predictions.jsonl`, in the order of the records. */
export const evalPrediction = z.looseObject({
  index: count,
  /** File and line, or file and position. */
  record: z.string(),
  reference: z.string(),
  /** Null where no answer could be made, and `error` says why. */
  prediction: z.string().nullable(),
  finish: z.enum(["stop", "length"]).nullable(),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
});
export type EvalPrediction = z.infer<typeof evalPrediction>;

/** `evaluation.json`: what the predictions are of. */
export const evalRecord = z.looseObject({
  model: z.string(),
  adapter: z.string().nullable(),
  dataset: z.looseObject({ sha256: z.string().length(64), records: count }),
  engine: z.string(),
  versions: z.record(z.string(), z.string()),
  started: z.iso.datetime(),
  seconds: z.number().nonnegative(),
  seed: count.nullable(),
  complete: z.boolean(),
});
export type EvalRecord = z.infer<typeof evalRecord>;

/** `eval_results.json` in `output/` of an evaluation's run folder. */
export const evalResults = z
  .strictObject({
    model: z.string(),
    adapter: z.string().nullable(),
    dataset: z.strictObject({ sha256: z.string().length(64), records: count }),
    /** Null where a metric could not be computed; `metric_errors` says why. */
    metrics: z.record(z.string(), score),
    metric_errors: z.record(z.string(), z.string()),
    /** What scores must have in common to be compared: tokenizers, versions. */
    metric_settings: z.record(z.string(), z.string()),
    /** All records; one without an answer counts as an empty answer. */
    scored: count,
    /** Records without an answer, by reason. */
    failed: z.record(z.string(), count),
    /** Answers without text. */
    empty: count,
    /** Answers that were cut at their most tokens. */
    cut: count,
    per_example: z.string(),
    per_example_scores: z.string(),
    engine: z.string(),
    versions: z.record(z.string(), z.string()),
    started: z.iso.datetime(),
    seconds: z.number().nonnegative(),
    seed: count.nullable(),
  })
  .meta({ id: "EvalResults" });
export type EvalResults = z.infer<typeof evalResults>;
