import { MetricError } from "../metric-error.ts";

/**
 * How many words of 32 table cells one alignment may fill: some seconds of one core. Two texts of 130,000 tokens each stay
 * below it.
 */
const mostWords = 2 ** 29;

/** Throws `too_long`: aligning takes time that grows with the product of the lengths, and a score of a part would mislead. */
export function requireAlignable(words: number): void {
  if (words <= mostWords) return;
  throw new MetricError(
    "too_long",
    "The texts are too long to be aligned in a reasonable time. Compare shorter texts, or use a metric of n-grams.",
  );
}
