import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  evalFiles,
  type EvalPrediction,
  type EvalResults,
  metricName,
  type MetricName,
} from "@attune/contracts/compute/eval-results.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { writeFileWhole } from "../process/write-file-whole.ts";
import { computeScores, type Scores } from "./compute-scores.ts";
import { type Evaluation, readEvaluation } from "./read-evaluation.ts";

/**
 * Scores the answers of an evaluation that came to its end, and writes `output/eval_results.json` and `output/scores.jsonl`, each
 * at once; the same again gives the same files. A record without an answer is scored as an empty answer, and counted.
 *
 * This computes for as long as there are texts to compare, so that the agent calls `scoreApart`, which does it in another
 * process, after the worker of an eval run has ended with `done: succeeded` and before the run is told as succeeded.
 *
 * @throws AppError EVALUATION_UNFINISHED, EVALUATION_UNREADABLE, and errors of the file system
 */
export async function scorePredictions(runFolder: string): Promise<EvalResults> {
  const evaluation = await readEvaluation(runFolder);
  const samples = evaluation.predictions.map(({ prediction, reference }) => ({
    prediction: prediction ?? "",
    references: [reference],
  }));
  const scores = computeScores(toNames(evaluation.spec.metrics), samples);
  const results = toResults(evaluation, scores);
  const lines = scores.perSample.map((each, index) => `${JSON.stringify({ index, scores: each })}\n`);
  // Last the file by which it is known that there are scores.
  await writeFileWhole(join(runFolder, "output", evalFiles.scores), lines.join(""));
  await writeFileWhole(join(runFolder, "output", evalFiles.results), `${JSON.stringify(results, null, 2)}\n`);
  return results;
}

const toNames = (names: readonly string[]): readonly MetricName[] =>
  names.map((name) => {
    const parsed = metricName.safeParse(name);
    if (!parsed.success) throw new AppError("EVALUATION_UNREADABLE", { detail: `There is no metric "${name}".` });
    return parsed.data;
  });

function toResults({ record, predictions }: Evaluation, scores: Scores): EvalResults {
  return {
    model: record.model,
    adapter: record.adapter,
    dataset: { sha256: record.dataset.sha256, records: record.dataset.records },
    metrics: scores.metrics,
    metric_errors: scores.errors,
    metric_settings: scores.settings,
    scored: predictions.length,
    failed: countFailures(predictions),
    empty: predictions.filter(({ prediction }) => prediction?.trim() === "").length,
    cut: predictions.filter(({ finish }) => finish === "length").length,
    per_example: evalFiles.predictions,
    per_example_scores: evalFiles.scores,
    engine: record.engine,
    versions: record.versions,
    started: record.started,
    seconds: record.seconds,
    seed: record.seed,
  };
}

function countFailures(predictions: readonly EvalPrediction[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { prediction, error } of predictions) {
    if (prediction !== null) continue;
    const code = error?.code ?? "unknown";
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** Second argument of the program: it waits for a word on its input, and does nothing when that ends without one. */
export const whenTold = "--when-told";

async function main([runFolder, flag]: readonly string[]): Promise<void> {
  if (runFolder === undefined) {
    process.stderr.write("usage: node score-predictions.ts RUN_FOLDER\n");
    process.exitCode = 2;
    return;
  }
  if (flag === whenTold && (await text(process.stdin)) === "") return;
  await scorePredictions(runFolder).catch((error: unknown) => {
    const told = error instanceof AppError ? { reason: error.reason, ...error.details } : { detail: String(error) };
    process.stderr.write(`${JSON.stringify(told)}\n`);
    process.exitCode = 1;
  });
}

if (import.meta.main) await main(process.argv.slice(2));
