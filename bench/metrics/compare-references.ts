/**
 * Compares our metrics with the Python reference implementations on random pairs: every value, and CPU time in one run.
 *
 *     npm run setup:python-metrics && node bench/metrics/compare-references.ts --pairs 12000 --seed 1
 *
 * Ends with 1 when a value differs: BLEU by more than 1e-9 of 100 (the last bits of exp and log), others at all.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { corpusBleu, sentenceBleu } from "@attune/metrics/bleu/bleu.ts";
import type { BleuSmoothing } from "@attune/metrics/bleu/bleu-score.ts";
import { sentenceChrf } from "@attune/metrics/chrf/chrf.ts";
import { loadJieba } from "@attune/metrics/jieba/load-jieba.ts";
import { predictMetrics } from "@attune/metrics/llama-factory/predict-metrics.ts";
import { rouge } from "@attune/metrics/rouge/rouge.ts";
import type { Sample } from "@attune/metrics/samples.ts";
import { exactMatch } from "@attune/metrics/squad/exact-match.ts";
import { tokenF1 } from "@attune/metrics/squad/token-f1.ts";
import type { TokenizerName } from "@attune/metrics/tokenizers/tokenizers.ts";
import { type Pair, randomPairs } from "./random-pairs.ts";

const root = join(import.meta.dirname, "../..");
const { values: options } = parseArgs({
  options: {
    pairs: { type: "string", default: "12000" },
    seed: { type: "string", default: "1" },
    python: { type: "string", default: join(root, ".work/python-metrics/bin/python") },
  },
});

interface Reference {
  readonly name: string;
  readonly seconds: number;
  readonly values: readonly unknown[];
}

const cutWords = await loadJieba();
const pairs = randomPairs(Number(options.pairs), Number(options.seed));
const samples = pairs.map(({ prediction, reference }): Sample => ({ prediction, references: [reference] }));
function scoreReferences(list: readonly Pair[]): Reference[] {
  const folder = mkdtempSync(join(tmpdir(), "attune-metrics-"));
  try {
    const [given, scored] = [join(folder, "pairs.jsonl"), join(folder, "scores.jsonl")];
    writeFileSync(given, list.map((pair) => JSON.stringify(pair)).join("\n"));
    const script = join(import.meta.dirname, "score_references.py");
    const { status, error } = spawnSync(options.python, [script, given, scored], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (status !== 0)
      throw new Error("The references did not run: npm run setup:python-metrics installs them.", { cause: error });
    const lines = readFileSync(scored, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Reference);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function report({ name, seconds, values }: Reference): void {
  const start = process.cpuUsage();
  const ours = score(name);
  const { user, system } = process.cpuUsage(start);
  const oursSeconds = (user + system) / 1e6;
  const isBleu = name.includes("bleu");
  let [differ, largest] = [0, 0];
  for (const [index, value] of values.entries()) {
    const difference = isBleu
      ? distance(value, ours[index])
      : isSame(value, ours[index])
        ? 0
        : Number.POSITIVE_INFINITY;
    largest = Math.max(largest, difference);
    if (difference <= 1e-9) continue;
    if (differ++ === 0) console.error({ name, pair: samples[index], value, ours: ours[index] });
  }
  if (differ > 0) process.exitCode = 1;
  const ratio = (seconds / oursSeconds).toFixed(1);
  const cells = [
    name,
    values.length,
    differ,
    largest.toExponential(1),
    seconds.toFixed(2),
    oursSeconds.toFixed(2),
    ratio,
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

function score(name: string): unknown[] {
  const [first, second, third] = name.split(" ");
  if (first === "corpus") {
    const bleu = corpusBleu(samples, { tokenizer: third as TokenizerName });
    return [[bleu.score, bleu.counts, bleu.totals, bleu.predictionLength, bleu.referenceLength]];
  }
  if (first === "bleu") {
    const smoothing = third as BleuSmoothing | undefined;
    const given = { tokenizer: second as TokenizerName, smoothing, lowercase: smoothing !== undefined };
    return samples.map((sample) => sentenceBleu(sample, given).score);
  }
  return samples.map(scorers[name] as (sample: Sample) => unknown);
}

const triples = (sample: Sample, useStemmer: boolean): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(rouge(sample, { useStemmer })).map(([type, { precision, recall, fmeasure }]) => [
      type,
      [precision, recall, fmeasure],
    ]),
  );

const scorers: Readonly<Record<string, (sample: Sample) => unknown>> = {
  chrF: (sample) => sentenceChrf(sample),
  "chrF++": (sample) => sentenceChrf(sample, { wordOrder: 2 }),
  ROUGE: (sample) => triples(sample, false),
  "ROUGE, stemmer": (sample) => triples(sample, true),
  "exact match, F1": (sample) => [exactMatch(sample), tokenF1(sample)],
  jieba: ({ prediction, references }) => [cutWords(prediction), cutWords(references[0] as string)],
  "LLaMA-Factory": ({ prediction, references }) =>
    predictMetrics({ prediction, reference: references[0] as string }, cutWords),
};

/** The difference of two scores; of a corpus also of its counts, which must be the same. */
function distance(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return Math.abs(one - other);
  const [[score1, ...counts1], [score2, ...counts2]] = [one, other] as [[number, ...unknown[]], [number, ...unknown[]]];
  return isSame(counts1, counts2) ? Math.abs(score1 - score2) : Number.POSITIVE_INFINITY;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

/** Objects with their keys in order. */
const sorted = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    : value;

console.log(`${pairs.length} pairs, seed ${options.seed}; CPU seconds, without start and reading\n`);
console.log("| metric | values | differ | largest difference | Python s | ours s | ratio |");
console.log("| --- | --- | --- | --- | --- | --- | --- |");
for (const reference of scoreReferences(pairs)) report(reference);
