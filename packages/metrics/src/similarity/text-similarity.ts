import { editDistance } from "../alignment/edit-distance.ts";
import { toCodePoints } from "../python/python-text.ts";
import { requireReferences, requireSamples, type Sample } from "../samples.ts";

/**
 * How alike two texts are, from 0 to 1: 1 − Levenshtein distance / length of the longer one, in code points, after Unicode NFKC
 * and lower case; two empty texts are alike. Of several references the nearest counts. It looks at spelling only: for
 * meaning see `cosineOfEmbeddings`. Throws `no_references`, and `too_long` (see `editDistance`).
 */
export function textSimilarity({ prediction, references }: Sample): number {
  requireReferences(references);
  const text = normalise(prediction);
  return references.reduce((best, reference) => Math.max(best, compare(text, normalise(reference))), 0);
}

/** The mean over a test set, from 0 to 1. Throws `no_samples`. */
export function corpusTextSimilarity(samples: readonly Sample[]): number {
  requireSamples(samples);
  return samples.reduce((sum, sample) => sum + textSimilarity(sample), 0) / samples.length;
}

const normalise = (text: string): Int32Array => toCodePoints(text.normalize("NFKC").toLowerCase());

function compare(one: Int32Array, other: Int32Array): number {
  const longer = Math.max(one.length, other.length);
  return longer === 0 ? 1 : 1 - editDistance(one, other) / longer;
}
