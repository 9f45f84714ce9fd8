import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BleuOptions, corpusBleu, sentenceBleu } from "./bleu/bleu.ts";
import type { BleuSmoothing } from "./bleu/bleu-score.ts";
import { corpusChrf, sentenceChrf } from "./chrf/chrf.ts";
import { loadJieba } from "./jieba/load-jieba.ts";
import { predictMetrics } from "./llama-factory/predict-metrics.ts";
import { stemWord } from "./rouge/porter-stemmer.ts";
import { rouge, type RougeScores } from "./rouge/rouge.ts";
import { type Sample, toSamples } from "./samples.ts";
import { exactMatch } from "./squad/exact-match.ts";
import { normaliseAnswer } from "./squad/normalise-answer.ts";
import { tokenF1 } from "./squad/token-f1.ts";
import { toStrings } from "./ngrams/tokens.ts";
import { type TokenizerName, tokenizers } from "./tokenizers/tokenizers.ts";

// Our own hand-written pairs, and a larger set that stands beside the repository or where METRICS_VECTORS points.
const own = join(import.meta.dirname, "../fixtures");
const shared = process.env["METRICS_VECTORS"] ?? join(import.meta.dirname, "../../../../shared/metrics-vectors");
const isShared = existsSync(shared);
if (!isShared)
  process.stdout.write(`Skipped: no reference vectors at ${shared}. METRICS_VECTORS names another folder.\n`);

const sets: readonly string[] = [
  join(own, "own"),
  ...(isShared ? ["templated-en-zh", "fuzz-unicode"].map((name) => join(shared, name)) : []),
];
const stemFiles = [join(own, "stems.json"), ...(isShared ? [join(shared, "stem-nltk-original-martin.json")] : [])];

interface Row {
  readonly hyp: string;
  readonly ref: string;
  readonly ref2: string;
  readonly expect: Readonly<Record<string, unknown>> & {
    readonly lf: Readonly<Record<string, number>> & { readonly hc: string[]; readonly rc: string[] };
  };
}

const names: readonly TokenizerName[] = ["13a", "zh", "char", "intl", "none"];
const smoothings: readonly (readonly [BleuSmoothing, number | undefined])[] = [
  ["floor", undefined],
  ["add-k", undefined],
  ["none", undefined],
  ["floor", 0.5],
  ["add-k", 2],
];

// Python's exp and log differ from those here in the last bit.
const tolerance = 1e-9;

describe.each(sets.map((path) => [basename(path), path] as const))("on the vectors %s", (_name, path) => {
  const rows = readRows(`${path}.jsonl`);
  const corpus = readJson(`${path}.corpus.json`) as Record<string, unknown>;
  const one = toSamples(
    rows.map(({ hyp }) => hyp),
    rows.map(({ ref }) => ref),
  );
  const two = toSamples(
    rows.map(({ hyp }) => hyp),
    rows.map(({ ref, ref2 }) => [ref, ref2]),
  );

  it.each(names)("tokenizer %s gives sacreBLEU's tokens", (tokenizer) => {
    expect(rows.map(({ hyp }) => toStrings(tokenizers[tokenizer](hyp)))).toEqual(
      rows.map((row) => row.expect[`tok_${tokenizer}`]),
    );
  });

  it.each(names)("BLEU by %s is sacreBLEU's, with each smoothing", (tokenizer) => {
    const differences: unknown[] = [];
    const compare = (sample: Sample, options: BleuOptions, expected: unknown): void => {
      const { score } = sentenceBleu(sample, { tokenizer, ...options });
      if (!(Math.abs(score - (expected as number)) <= tolerance))
        differences.push({ sample, options, score, expected });
    };
    rows.forEach((row, index) => {
      compare(one[index] as Sample, {}, row.expect[`bleu_${tokenizer}`]);
      for (const [smoothing, smoothingValue] of smoothings) {
        const expected = row.expect[`bleu_${tokenizer}_${smoothing}_${smoothingValue ?? "None"}`];
        compare(two[index] as Sample, { smoothing, smoothingValue, lowercase: true }, expected);
      }
    });
    expect(differences).toEqual([]);
  });

  it.each(names)("BLEU of the corpus by %s is sacreBLEU's", (tokenizer) => {
    for (const [kind, samples] of [["bleu", one] as const, ["mref", two] as const]) {
      const [score, counts, totals, precisions, bp, predicted, expected] = corpus[`${kind}_${tokenizer}`] as [
        number,
        ...unknown[],
      ];
      const ours = corpusBleu(samples, { tokenizer });
      expect(Math.abs(ours.score - score)).toBeLessThanOrEqual(tolerance);
      expect(ours).toMatchObject({
        counts,
        totals,
        precisions,
        predictionLength: predicted,
        referenceLength: expected,
      });
      expect(Math.abs(ours.brevityPenalty - Number(bp))).toBeLessThanOrEqual(tolerance);
    }
  });

  it("chrF and chrF++ are sacreBLEU's to the last bit", () => {
    for (const wordOrder of [0, 2]) {
      const key = `chrf${wordOrder}`;
      expect(corpusChrf(one, { wordOrder })).toBe(corpus[key]);
      expect(rows.map((_, index) => sentenceChrf(one[index] as Sample, { wordOrder }))).toEqual(
        rows.map((row) => row.expect[key]),
      );
    }
  });

  it.each([false, true])("ROUGE is rouge_score's to the last bit, stemmer %s", (useStemmer) => {
    const key = useStemmer ? "rouge1" : "rouge0";
    rows.forEach((row, index) =>
      expect(toTriples(rouge(one[index] as Sample, { useStemmer }))).toEqual(row.expect[key]),
    );
  });

  it("exact match and F1 are those of SQuAD's script to the last bit", () => {
    rows.forEach((row, index) => {
      expect(normaliseAnswer(row.hyp)).toBe(row.expect["sqn"]);
      expect([exactMatch(one[index] as Sample), tokenF1(one[index] as Sample)]).toEqual(
        (row.expect["sq"] as unknown[]).map(Number),
      );
    });
  });

  it("words are jieba's and the predict metrics LLaMA-Factory's", { timeout: 60_000 }, async () => {
    const cutWords = await loadJieba();
    for (const { hyp, ref, expect: expected } of rows) {
      const { hc, rc, ...scores } = expected.lf;
      expect([cutWords(hyp), cutWords(ref)]).toEqual([hc, rc]);
      expect(predictMetrics({ prediction: hyp, reference: ref }, cutWords)).toEqual(scores);
    }
  });
});

it.each(stemFiles.map((path) => [basename(path), path] as const))("stems are NLTK's: %s", (_, path) => {
  const stems = Object.entries(readJson(path) as Record<string, readonly string[]>);
  expect(stems.length).toBeGreaterThan(100);
  expect(stems.filter(([word, [stem]]) => stemWord(word) !== stem)).toEqual([]);
});

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

function readRows(path: string): Row[] {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Row);
}

const toTriples = (scores: RougeScores): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(scores).map(([type, { precision, recall, fmeasure }]) => [type, [precision, recall, fmeasure]]),
  );
