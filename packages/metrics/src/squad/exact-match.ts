import { requireReferences, requireSamples, type Sample } from "../samples.ts";
import { stripPython } from "../python/python-text.ts";
import { normaliseAnswer, normaliseCjkAnswer } from "./normalise-answer.ts";

/** `strict`: Unicode NFC without outer white space; `squad`, `cjk`: see `normaliseAnswer` and `normaliseCjkAnswer`. */
export type MatchMode = "strict" | "squad" | "cjk";

/** 1 where the prediction is one of the references, else 0. By default as SQuAD's evaluation script v1.1 (`exact_match`). */
export function exactMatch({ prediction, references }: Sample, mode: MatchMode = "squad"): 0 | 1 {
  requireReferences(references);
  const normalise = normalisers[mode];
  const answer = normalise(prediction);
  return references.some((reference) => normalise(reference) === answer) ? 1 : 0;
}

/** The share of exact matches, from 0 to 1. Throws `no_samples`. */
export function corpusExactMatch(samples: readonly Sample[], mode: MatchMode = "squad"): number {
  requireSamples(samples);
  return samples.reduce((sum, sample) => sum + exactMatch(sample, mode), 0) / samples.length;
}

const normalisers: Readonly<Record<MatchMode, (text: string) => string>> = {
  strict: (text) => stripPython(text.normalize("NFC")),
  squad: normaliseAnswer,
  cjk: normaliseCjkAnswer,
};
