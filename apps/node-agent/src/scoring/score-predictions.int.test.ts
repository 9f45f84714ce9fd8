import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { evalResults } from "@attune/contracts/compute/eval-results.ts";
import { until } from "@attune/testkit/processes.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readProcesses } from "../process/read-processes.ts";
import { scoreApart } from "./score-apart.ts";
import { scorePredictions } from "./score-predictions.ts";

const record = {
  model: "/models/base",
  adapter: null,
  dataset: { sha256: "ab".repeat(32), records: 3 },
  engine: "trainer",
  versions: { torch: "2.13.0" },
  started: "2026-11-21T10:00:00.000Z",
  seconds: 4.5,
  seed: null,
  complete: true,
};
const spec = {
  kind: "eval",
  model: { path: "/models/base" },
  data: { files: ["/data.jsonl"] },
  metrics: ["exact_match", "rouge1"],
};
const answers = [
  { index: 0, record: "line 1", reference: "Paris", prediction: "Paris.", finish: "stop", error: null },
  { index: 1, record: "line 2", reference: "Rome", prediction: "  ", finish: "length", error: null },
  {
    index: 2,
    record: "line 3",
    reference: "Oslo",
    prediction: null,
    finish: null,
    error: { code: "context_length_exceeded", message: "The messages take 3000 tokens." },
  },
];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-scoring-"));
  await mkdir(join(folder, "output"));
  await writeRun({});
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Parts {
  readonly spec?: unknown;
  readonly record?: unknown;
  readonly lines?: readonly unknown[];
}
async function writeRun(parts: Parts): Promise<void> {
  await writeFile(join(folder, "spec.json"), JSON.stringify(parts.spec ?? spec));
  await writeFile(join(folder, "output/evaluation.json"), JSON.stringify(parts.record ?? record));
  const lines = (parts.lines ?? answers).map((line) => `${JSON.stringify(line)}\n`);
  await writeFile(join(folder, "output/predictions.jsonl"), lines.join(""));
}
const output = (name: string): Promise<string> => readFile(join(folder, "output", name), "utf8");

test("scores every record, those without an answer as wrong, and counts them", async () => {
  const results = await scorePredictions(folder);
  expect(results.metrics).toEqual({ exact_match: 1 / 3, rouge1: 1 / 3 });
  expect(results).toMatchObject({ scored: 3, failed: { context_length_exceeded: 1 }, empty: 1, cut: 1 });
  expect(evalResults.parse(JSON.parse(await output("eval_results.json")))).toEqual(results);
  const scores = (await output("scores.jsonl")).trimEnd().split("\n");
  expect(scores.map((line) => JSON.parse(line) as unknown)).toEqual([
    { index: 0, scores: { exact_match: 1, rouge1: 1 } },
    { index: 1, scores: { exact_match: 0, rouge1: 0 } },
    { index: 2, scores: { exact_match: 0, rouge1: 0 } },
  ]);
});

test("answers with any character are read whole", async () => {
  const prediction = "Par\u2028is\u2029\u0085\r\v\u{1F600}";
  await writeRun({ lines: [{ ...answers[0], prediction, reference: prediction }, answers[1], answers[2]] });
  expect(await scorePredictions(folder)).toMatchObject({ scored: 3, metrics: { exact_match: 1 / 3 } });
});

test("in a process of its own it gives the same, also a second time", async () => {
  const here = await scorePredictions(folder);
  expect(await scoreApart(folder)).toEqual(here);
  expect(await scoreApart(folder)).toEqual(here);
});

test("an evaluation that has not come to its end is not scored", async () => {
  await writeRun({ record: { ...record, complete: false } });
  await expect(scorePredictions(folder)).rejects.toMatchObject({ reason: "EVALUATION_UNFINISHED" });
  await expect(scoreApart(folder)).rejects.toMatchObject({ reason: "EVALUATION_UNFINISHED" });
  await rm(join(folder, "output/evaluation.json"));
  await expect(scorePredictions(folder)).rejects.toMatchObject({ reason: "EVALUATION_UNFINISHED" });
  await expect(output("eval_results.json")).rejects.toThrow("ENOENT");
});

test.each<[string, Parts]>([
  ["lack an answer", { lines: answers.slice(1) }],
  ["have one twice", { lines: [answers[0], answers[0], answers[2]] }],
  ["are out of order", { lines: answers.toReversed() }],
  ["have another form", { lines: [...answers.slice(0, 2), { index: 2 }] }],
  ["are scored by nothing that is known", { spec: { ...spec, metrics: ["charm"] } }],
])("answers that %s are told as unreadable", async (_, parts) => {
  await writeRun(parts);
  await expect(scorePredictions(folder)).rejects.toMatchObject({ reason: "EVALUATION_UNREADABLE" });
});

test("a results file that cannot be written is a failure of scoring, and an aborted scoring ends", async () => {
  await mkdir(join(folder, "output/eval_results.json"));
  await expect(scoreApart(folder)).rejects.toMatchObject({ reason: "SCORING_FAILED" });
  await expect(scoreApart(folder, AbortSignal.abort())).rejects.toThrow("aborted");
  const controller = new AbortController();
  const scoring = scoreApart(folder, controller.signal);
  controller.abort();
  await expect(scoring).rejects.toThrow("aborted");
});

const words = (order: 1 | -1): string =>
  Array.from({ length: 100_000 }, (_, index) => `w${order * index + 100_000}`).join(" ");
/** Scoring it takes minutes. */
const writeLongRun = (): Promise<void> =>
  writeRun({
    spec: { ...spec, metrics: Array.from({ length: 1000 }, () => "rougeL") },
    lines: answers.map((answer) => ({ ...answer, prediction: words(1), reference: words(-1), error: null })),
  });
const scoringOf = (run: string) =>
  readProcesses().filter(({ pid }) => readCommand(pid).join(" ").includes(`score-predictions.ts ${run}`));
const readCommand = (pid: number): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
};

test("a scoring that is broken off leaves the answers, and nothing of scores", { timeout: 30_000 }, async () => {
  await writeLongRun();
  // As a scoring leaves them that is ended between its files, or in the middle of one.
  for (const name of ["scores.jsonl", "scores.jsonl.0a1b2c3d.part", "eval_results.json.0a1b2c3d.part"]) {
    await writeFile(join(folder, "output", name), "{");
  }
  const controller = new AbortController();
  const scoring = scoreApart(folder, controller.signal);
  await until(() => scoringOf(folder).length === 1, 10_000, "it is scored");
  controller.abort();
  await expect(scoring).rejects.toThrow("aborted");
  expect(scoringOf(folder)).toEqual([]);
  expect((await readdir(join(folder, "output"))).toSorted()).toEqual(["evaluation.json", "predictions.jsonl"]);
});

test("a scoring that is broken off leaves the scores that there were", { timeout: 30_000 }, async () => {
  const before = await scorePredictions(folder);
  await writeLongRun();
  const controller = new AbortController();
  const scoring = scoreApart(folder, controller.signal);
  await until(() => scoringOf(folder).length === 1, 10_000, "it is scored");
  controller.abort();
  await expect(scoring).rejects.toThrow("aborted");
  expect(evalResults.parse(JSON.parse(await output("eval_results.json")))).toEqual(before);
  expect((await output("scores.jsonl")).trimEnd().split("\n")).toHaveLength(3);
});

test("a scoring does not outlive the agent", { timeout: 30_000 }, async () => {
  await writeLongRun();
  const program = `import { scoreApart } from ${JSON.stringify(join(import.meta.dirname, "score-apart.ts"))};
    await scoreApart(${JSON.stringify(folder)});`;
  const agent = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], { stdio: "ignore" });
  await until(() => scoringOf(folder).length === 1, 10_000, "it is scored");
  agent.kill("SIGKILL");
  await until(() => scoringOf(folder).length === 0, 10_000, "the scoring is gone");
  expect((await readdir(join(folder, "output"))).toSorted()).toEqual(["evaluation.json", "predictions.jsonl"]);
});
