import { lcsLength } from "../alignment/lcs-length.ts";
import { MetricError } from "../metric-error.ts";
import { countMatches, countNgrams } from "../ngrams/count-matches.ts";
import { numberTokens } from "../ngrams/number-tokens.ts";
import type { Tokens } from "../ngrams/tokens.ts";
import { requireReferences, requireSamples, type Sample } from "../samples.ts";
import { tokenizeAndStem, tokenizeForRouge } from "./tokenize-for-rouge.ts";
import { countUnionHits } from "./union-lcs.ts";

/** `rouge1` to `rouge9`, `rougeL` (the whole text), `rougeLsum` (sentence by sentence, one a line). */
export type RougeType = `rouge${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | "L" | "Lsum"}`;

/** From 0 to 1 each. */
export interface RougeScore {
  readonly precision: number;
  readonly recall: number;
  readonly fmeasure: number;
}

export interface RougeOptions {
  /** Default rouge1, rouge2, rougeL, rougeLsum. */
  readonly types?: readonly RougeType[] | undefined;
  /** Whether English words are compared by their stems (Porter); without effect beside `tokenize`. Default false. */
  readonly useStemmer?: boolean | undefined;
  /**
   * Another tokenizer, for languages without Latin letters: for Chinese `tokenizers.zh`. Scores by different tokenizers do not
   * compare.
   */
  readonly tokenize?: ((text: string) => Tokens) | undefined;
}

export type RougeScores = Readonly<Partial<Record<RougeType, RougeScore>>>;

/**
 * ROUGE of one sample: Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004, bit-equal to rouge_score 0.1.2
 * (google-research); of several references the one with the best F counts, for each type. Throws `no_references`, `bad_option`,
 * and `too_long` where rougeL or rougeLsum would take too long (see `lcsLength`, `countUnionHits`).
 */
export function rouge({ prediction, references }: Sample, options: RougeOptions = {}): RougeScores {
  requireReferences(references);
  const scores = references.map((reference) => compare(prediction, reference, options));
  const best = (type: RougeType): RougeScore =>
    scores.map((score) => score[type] as RougeScore).reduce((a, b) => (b.fmeasure > a.fmeasure ? b : a));
  return Object.fromEntries(typesOf(options).map((type) => [type, best(type)]));
}

/**
 * The means over a test set. (The `evaluate` library reports the median of random resamples, which differs from run to run
 * and estimates this.) Throws `no_samples` and what `rouge` throws.
 */
export function corpusRouge(samples: readonly Sample[], options: RougeOptions = {}): RougeScores {
  requireSamples(samples);
  const scores = samples.map((sample) => rouge(sample, options));
  const mean = (type: RougeType, part: keyof RougeScore): number =>
    scores.reduce((sum, score) => sum + (score[type] as RougeScore)[part], 0) / scores.length;
  return Object.fromEntries(
    typesOf(options).map((type) => [
      type,
      { precision: mean(type, "precision"), recall: mean(type, "recall"), fmeasure: mean(type, "fmeasure") },
    ]),
  );
}

function typesOf({ types = ["rouge1", "rouge2", "rougeL", "rougeLsum"] }: RougeOptions): readonly RougeType[] {
  const wrong = types.find((type) => !/^rouge([1-9]|L|Lsum)$/.test(type));
  if (wrong === undefined) return types;
  throw new MetricError("bad_option", `There is no ROUGE type "${wrong}". Take rouge1 to rouge9, rougeL or rougeLsum.`);
}

function compare(prediction: string, reference: string, options: RougeOptions): RougeScores {
  const tokenize = options.tokenize ?? (options.useStemmer === true ? tokenizeAndStem : tokenizeForRouge);
  const types = typesOf(options);
  const [hypothesis, target] = numberTokens([tokenize(prediction), tokenize(reference)]) as [Int32Array, Int32Array];
  const orders = Math.max(0, ...types.map((type) => Number(type.slice(5)) || 0));
  const matches = countMatches(hypothesis, [target], orders);
  const score = (type: RougeType): RougeScore => {
    if (type === "rougeL") return toScore(lcsLength(hypothesis, target), hypothesis.length, target.length);
    if (type === "rougeLsum") return scoreSentences(prediction, reference, tokenize);
    const order = Number(type.slice(5));
    const [ours, theirs] = [hypothesis, target].map(({ length }) => countNgrams(length, order)[order - 1] as number);
    return toScore(matches[order - 1] as number, ours as number, theirs as number);
  };
  return Object.fromEntries(types.map((type) => [type, score(type)]));
}

function scoreSentences(prediction: string, reference: string, tokenize: (text: string) => Tokens): RougeScore {
  const split = (text: string): Tokens[] =>
    text
      .split("\n")
      .map((line) => tokenize(line))
      // A million empty lines must not be compared with a million others.
      .filter(({ bounds }) => bounds.length > 0);
  const ours = split(prediction);
  const numbered = numberTokens(ours.concat(split(reference)));
  const [predicted, target] = [numbered.slice(0, ours.length), numbered.slice(ours.length)];
  return toScore(countUnionHits(target, predicted), countAll(predicted), countAll(target));
}

const countAll = (sentences: readonly Int32Array[]): number => sentences.reduce((sum, { length }) => sum + length, 0);

function toScore(hits: number, predicted: number, expected: number): RougeScore {
  const precision = hits / Math.max(predicted, 1);
  const recall = hits / Math.max(expected, 1);
  const sum = precision + recall;
  return { precision, recall, fmeasure: sum > 0 ? (2 * precision * recall) / sum : 0 };
}
