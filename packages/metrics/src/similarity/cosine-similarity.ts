import { requireReferences, requireSamples, type Sample } from "../samples.ts";
import { countFeatures, segmenterVersion } from "./count-features.ts";

/** Compares texts without a model. */
export interface TextCosine {
  /** What two scores must have in common to be compared. */
  readonly signature: string;
  /** From 0 to 1; two texts without a letter or digit score 1, one such text 0. Of several references the nearest counts. */
  readonly score: (sample: Sample) => number;
}

/**
 * Cosine similarity of TF-IDF vectors of words, characters and pairs of characters: weights (1 + ln tf) · idf with
 * idf = ln((1 + n) / (1 + df)) + 1 (Salton and Buckley 1988, smoothed as in scikit-learn), over the references' texts. They
 * do not depend on the model under test, so that two models stay comparable. Below 50 texts document frequencies say nothing
 * and all idf are 1: one sample is enough for a score. The time of a score grows with the length of the texts.
 */
export function createTextCosine(references: readonly string[]): TextCosine {
  const isFitted = references.length >= fewestTexts;
  const idf = isFitted ? fitIdf(references) : () => 1;
  return {
    signature: `cos:tfidf|feat:w+c1-2|idf:${isFitted ? `ref(n=${references.length})` : "none"}|icu:${segmenterVersion}`,
    score: ({ prediction, references: expected }) => {
      requireReferences(expected);
      const vector = toVector(prediction, idf);
      return expected.reduce((best, text) => Math.max(best, compare(vector, toVector(text, idf))), 0);
    },
  };
}

/** The mean cosine similarity of a test set, from 0 to 1. Throws `no_samples`, `no_references`. */
export function corpusCosineSimilarity(samples: readonly Sample[]): number {
  requireSamples(samples);
  const { score } = createTextCosine(samples.flatMap(({ references }) => references));
  return samples.reduce((sum, sample) => sum + score(sample), 0) / samples.length;
}

const fewestTexts = 50;

type Idf = (feature: string) => number;

function fitIdf(texts: readonly string[]): Idf {
  const documents = new Map<string, number>();
  for (const text of texts) {
    for (const feature of countFeatures(text).keys()) documents.set(feature, (documents.get(feature) ?? 0) + 1);
  }
  return (feature) => Math.log((1 + texts.length) / (1 + (documents.get(feature) ?? 0))) + 1;
}

interface Vector {
  readonly weights: ReadonlyMap<string, number>;
  readonly squares: number;
}

function toVector(text: string, idf: Idf): Vector {
  const weights = new Map<string, number>();
  let squares = 0;
  for (const [feature, count] of countFeatures(text)) {
    const weight = (1 + Math.log(count)) * idf(feature);
    weights.set(feature, weight);
    squares += weight * weight;
  }
  return { weights, squares };
}

function compare(one: Vector, other: Vector): number {
  if (one.squares === 0 || other.squares === 0) return one.squares === other.squares ? 1 : 0;
  let product = 0;
  for (const [feature, weight] of one.weights) product += weight * (other.weights.get(feature) ?? 0);
  return Math.min(1, product / Math.sqrt(one.squares * other.squares));
}
