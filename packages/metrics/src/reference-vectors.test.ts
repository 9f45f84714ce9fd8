import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
import { type TokenizerName, tokenizers } from "./tokenizers/tokenizers.ts";

const folder = process.env["METRICS_VECTORS"] ?? join(import.meta.dirname, "../../../../shared/metrics-vectors");
const isThere = existsSync(folder);
if (!isThere) {
  process.stdout.write(`Skipped: no reference vectors at ${folder}. METRICS_VECTORS names another folder.\n`);
}

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

describe.skipIf(!isThere).each(["templated-en-zh", "fuzz-unicode"])("on the vectors %s", (name) => {
  const rows = isThere ? readRows(`${name}.jsonl`) : [];
  const corpus = isThere ? (readJson(`${name}.corpus.json`) as Record<string, unknown>) : {};
  const one = toSamples(
    rows.map(({ hyp }) => hyp),
    rows.map(({ ref }) => ref),
  );
  const two = toSamples(
    rows.map(({ hyp }) => hyp),
    rows.map(({ ref, ref2 }) => [ref, ref2]),
  );

  it.each(names)("tokenizer %s gives sacreBLEU's tokens", (tokenizer) => {
    expect(rows.map(({ hyp }) => tokenizers[tokenizer](hyp))).toEqual(
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

it.skipIf(!isThere)("stems are NLTK's", () => {
  const stems = Object.entries(readJson("stem-nltk-original-martin.json") as Record<string, [string, string, string]>);
  expect(stems.length).toBeGreaterThan(6_000);
  expect(stems.filter(([word, [stem]]) => stemWord(word) !== stem)).toEqual([]);
});

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), "utf8"));

const readRows = (file: string): Row[] =>
  readFileSync(join(folder, file), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);

const toTriples = (scores: RougeScores): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(scores).map(([type, { precision, recall, fmeasure }]) => [type, [precision, recall, fmeasure]]),
  );
