import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { trainSpec } from "@attune/contracts/compute/run-spec.ts";
import { type WorkerEvent, workerEvent, workerExit } from "@attune/contracts/compute/worker-events.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ranTests, runPythonTests } from "../run-python-tests.ts";
import { findTrainerPython } from "./find-python.ts";

const python = findTrainerPython();
const project = join(import.meta.dirname, "../../python/trainer");
const env = { ...process.env, OMP_NUM_THREADS: "1", PYTHONPATH: join(project, "src"), CUDA_VISIBLE_DEVICES: "" };
/** Importing PyTorch takes long where other tests run beside this one. */
const timeoutMs = 900_000;

const run = (...args: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync(python ?? "", args, { cwd: project, env, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });

describe.skipIf(python === undefined)("the trainer", () => {
  test.each([
    "test_protocol",
    "test_data",
    "test_data_fields",
    "test_packing",
    "test_errors",
    "test_runs",
    "test_failures",
    "test_exactness",
    "test_interruptions",
    "test_checkpoints",
    "test_going_on",
    "test_owed_evaluations",
  ])(
    "tests of Python: %s",
    async (name) => {
      const tests = { python: python as string, project, sources: join(project, "src"), modules: [name] };
      expect(await runPythonTests(tests)).toMatch(ranTests);
    },
    timeoutMs,
  );
});

describe.skipIf(python === undefined)("a run as the agent starts it", () => {
  const folder = mkdtempSync(join(tmpdir(), "attune-trainer-"));
  let events: readonly WorkerEvent[] = [];
  let status: number | null = null;

  beforeAll(() => {
    mkdirSync(join(folder, "run"));
    const made = run("-m", "attune_trainer.testing.tiny_model", join(folder, "model"), "--arch", "qwen3");
    if (made.status !== 0) throw new Error(made.stderr);
    const rows = Array.from({ length: 12 }, (_, n) => ({
      instruction: `What is ${n} plus 1?`,
      output: `It is ${n + 1}.`,
    }));
    writeFileSync(join(folder, "data.json"), JSON.stringify(rows));
    const spec = trainSpec.parse({
      kind: "train",
      model: { path: join(folder, "model") },
      method: "sft",
      tuning: "lora",
      data: { files: [join(folder, "data.json")], eval_fraction: 0.2 },
      training: { max_steps: 3, save_steps: 3, eval_steps: 3 },
    });
    writeFileSync(join(folder, "run/spec.json"), JSON.stringify(spec));
    ({ status } = run("-m", "attune_trainer.train", join(folder, "run")));
    const lines = readFileSync(join(folder, "run/events.ndjson"), "utf8").trimEnd().split("\n");
    events = lines.map((line) => workerEvent.parse(JSON.parse(line)));
  }, timeoutMs);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("succeeds, and every line it writes is an event of the contract", () => {
    expect(status).toBe(workerExit.done);
    expect(events[0]).toMatchObject({ type: "hello", protocol: 1, world_size: 1 });
    expect(events.at(-1)).toMatchObject({ type: "done", status: "succeeded", step: 3 });
    const told = new Set(events.map(({ type }) => type));
    for (const type of ["phase", "progress", "dataset", "metrics", "checkpoint", "artifact"] as const) {
      expect(told).toContain(type);
    }
  });

  test("tells the loss and the learning rate of each step, and that of the evaluation", () => {
    const metrics = events.filter((event) => event.type === "metrics");
    const train = metrics.filter(({ split }) => split === "train");
    expect(train.map(({ step }) => step)).toEqual([1, 2, 3]);
    for (const { metrics: figures } of train) {
      expect(figures["loss"]).toBeGreaterThan(0);
      expect(figures["learning_rate"]).toBeGreaterThan(0);
    }
    expect(metrics.find(({ split }) => split === "eval")?.metrics["loss"]).toBeGreaterThan(0);
  });
});
