import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { evalFiles, evalPrediction, type EvalResults, evalResults } from "@attune/contracts/compute/eval-results.ts";
import { workerEvent } from "@attune/contracts/compute/worker-events.ts";
import { until } from "@attune/testkit/processes.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTrainerPython, trainerSources } from "./find-trainer-python.ts";
import { makeTaughtModels, type TaughtModels } from "./taught-models.ts";

const python = findTrainerPython("attune-eval with a tiny model");
const scoring = join(import.meta.dirname, "../../apps/node-agent/src/scoring/score-predictions.ts");
// Python imports torch for seconds, and for far more on a busy machine.
const patientMs = 300_000;

/** As the agent does it, in a process of its own. */
async function scoreApart(folder: string): Promise<EvalResults> {
  await promisify(execFile)(process.execPath, [scoring, folder]);
  return evalResults.parse(JSON.parse(readFileSync(join(folder, "output", evalFiles.results), "utf8")));
}

describe.skipIf(python === undefined)("attune-eval", () => {
  const root = mkdtempSync(join(tmpdir(), "attune-eval-"));
  let models: TaughtModels;

  beforeAll(async () => {
    models = await makeTaughtModels(python as string);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const writeRun = (spec: object, records: readonly object[]): string => {
    const folder = mkdtempSync(join(root, "run-"));
    const data = join(folder, "data.jsonl");
    writeFileSync(data, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    writeFileSync(join(folder, "spec.json"), JSON.stringify({ kind: "eval", data: { files: [data] }, ...spec }));
    return folder;
  };
  const start = (folder: string): ChildProcess =>
    spawn(python as string, ["-m", "attune_trainer.evaluate", folder], {
      env: { ...process.env, PYTHONPATH: trainerSources, OMP_NUM_THREADS: "1", CUDA_VISIBLE_DEVICES: "" },
      stdio: "ignore",
    });
  const linesOf = (folder: string, name: string): readonly unknown[] => {
    const path = join(folder, name);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as unknown]));
  };
  const eventsOf = (folder: string) => linesOf(folder, "events.ndjson").map((line) => workerEvent.parse(line));

  test(
    "a model that knows its answers scores best, and its adapter, which answers otherwise, does not",
    async () => {
      const records = Object.entries(models.base).map(([instruction, { text }]) => ({ instruction, output: text }));
      const metrics = ["bleu", "rouge1", "rougeL", "chrf", "cosine", "exact_match", "f1", "similarity"];
      const spec = { model: { path: models.path("base") }, metrics, batch_size: 3 };
      const folders = [{}, { adapter_path: models.path("adapter") }].map((more) =>
        writeRun({ ...spec, ...more }, records),
      );
      for (const folder of folders) expect(await once(start(folder), "close")).toEqual([0, null]);
      const [base, adapter] = await Promise.all(folders.map((folder) => scoreApart(folder)));
      for (const name of metrics) {
        expect(base?.metrics[name]).toBeCloseTo(name === "bleu" || name === "chrf" ? 100 : 1, 9);
      }
      expect(base).toMatchObject({ scored: 3, failed: {}, empty: 0, cut: 0, adapter: null, metric_errors: {} });
      expect(adapter?.metrics["exact_match"]).toBe(0);
      expect(adapter?.adapter).toBe(models.path("adapter"));
      const [folder] = folders as [string, string];
      const answers = linesOf(folder, `output/${evalFiles.predictions}`).map((line) => evalPrediction.parse(line));
      expect(answers.map(({ prediction }) => prediction)).toEqual(records.map(({ output }) => output));
      expect(eventsOf(folder).at(-1)).toMatchObject({ type: "done", status: "succeeded" });
    },
    patientMs,
  );

  test(
    "goes on where it was killed, and where it was stopped",
    async () => {
      const records = Array.from({ length: 8 }, (_, index) => ({
        instruction: `Question ${index}?`,
        output: "Answer.",
      }));
      const generation = { max_new_tokens: 300, temperature: 1, seed: 5 };
      const spec = { model: { path: models.path("endless") }, generation, batch_size: 1, metrics: ["exact_match"] };
      const folder = writeRun(spec, records);
      const predictions = (): number => linesOf(folder, `output/${evalFiles.predictions}`).length;

      const killed = start(folder);
      await until(() => predictions() >= 1, patientMs, "a prediction");
      killed.kill("SIGKILL");
      await once(killed, "close");
      const afterKill = predictions();
      expect(afterKill).toBeLessThan(8);
      await expect(scoreApart(folder)).rejects.toThrow("EVALUATION_UNFINISHED");

      const stopped = start(folder);
      await until(() => predictions() > afterKill, patientMs, "another prediction");
      stopped.kill("SIGTERM");
      expect(await once(stopped, "close")).toEqual([0, null]);
      expect(predictions()).toBeLessThan(8);
      expect(eventsOf(folder).at(-1)).toMatchObject({ type: "done", status: "cancelled" });

      expect(await once(start(folder), "close")).toEqual([0, null]);
      const answers = linesOf(folder, `output/${evalFiles.predictions}`).map((line) => evalPrediction.parse(line));
      expect(answers.map(({ index }) => index)).toEqual(records.map((_, index) => index));
      expect((await scoreApart(folder)).cut).toBe(8);
    },
    patientMs,
  );
});
