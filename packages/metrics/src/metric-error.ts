/**
 * Why a metric gives no number:
 * - `no_samples`: an empty corpus has no score
 * - `no_references`: a sample without a reference has nothing to be compared with
 * - `unequal_lengths`: the lists of predictions and references, or two embeddings, are not of one length
 * - `not_text`, `not_finite`: a value of the wrong kind
 * - `too_long`: an alignment would take longer than the limit allows
 * - `bad_option`: an option outside its bounds
 * - `jieba_unavailable`: the Chinese word segmenter could not be loaded
 */
export type MetricErrorCode =
  | "no_samples"
  | "no_references"
  | "unequal_lengths"
  | "not_text"
  | "not_finite"
  | "too_long"
  | "bad_option"
  | "jieba_unavailable";

/** A metric that cannot be computed says so instead of giving a number. The message says what is wrong and what to do. */
export class MetricError extends Error {
  override readonly name = "MetricError";
  readonly code: MetricErrorCode;

  constructor(code: MetricErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
