import { MetricError } from "./metric-error.ts";

/** What a model wrote and what it should have written: one or several references that are equally right. */
export interface Sample {
  readonly prediction: string;
  readonly references: readonly string[];
}

/**
 * Pairs predictions with their references, in order. Throws `unequal_lengths`, `no_references` or `not_text` with the place
 * (counted from 0), so that a shifted or broken file is not scored as if it were a bad model.
 */
export function toSamples(
  predictions: readonly string[],
  references: readonly (string | readonly string[])[],
): readonly Sample[] {
  if (predictions.length !== references.length) {
    throw new MetricError(
      "unequal_lengths",
      `There are ${predictions.length} predictions but ${references.length} references. Give one reference, or one list of references, for each prediction.`,
    );
  }
  return predictions.map((prediction, index) => {
    const given = references[index] as string | readonly string[];
    const sample = { prediction, references: typeof given === "string" ? [given] : given };
    requireText(sample, index);
    return sample;
  });
}

/** Throws `no_references` for an empty list. `place` names the sample in the message. */
export function requireReferences(references: readonly string[], place = "The sample"): void {
  if (references.length > 0) return;
  throw new MetricError("no_references", `${place} has no reference. Give at least one, or leave the sample out.`);
}

/** Throws `no_samples` for an empty corpus: its score would be a number without a meaning. */
export function requireSamples(samples: readonly unknown[]): void {
  if (samples.length > 0) return;
  throw new MetricError(
    "no_samples",
    "There are no samples to score. Give at least one prediction with its reference.",
  );
}

function requireText({ prediction, references }: Sample, index: number): void {
  // The lists often come from a JSON file, where a missing answer is null.
  if (!Array.isArray(references)) throw notText("reference", index);
  requireReferences(references, `Sample ${index}`);
  if (typeof prediction !== "string") throw notText("prediction", index);
  if (!references.every((reference) => typeof reference === "string")) throw notText("reference", index);
}

const notText = (what: string, index: number): MetricError =>
  new MetricError("not_text", `The ${what} of sample ${index} is not a text. Write "" for an empty answer.`);
