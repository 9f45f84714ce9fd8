import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JobRequest, jobRequest } from "@attune/contracts/compute/run-record.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTrainerEngine } from "../../engines/trainer/trainer-engine.ts";
import { sendSignal } from "../../process/end-group.ts";
import { readStored } from "../testing/kill-agent.ts";
import { startRuns, type TestRuns, untilRun } from "../testing/start-runs.ts";
import { isEnded, type JobView } from "@attune/contracts/compute/run-record.ts";
import { checkTruth } from "./check-truth.ts";
import { type TrainerCase, trainerCases } from "./trainer-cases.ts";

const root = join(import.meta.dirname, "../../../../..");
const python = join(root, ".work/python-trainer/bin/python");
const own = { PYTHONPATH: join(root, "python/trainer/src"), OMP_NUM_THREADS: "1" };
const patienceMs = 240_000;

const why = existsSync(python) ? "" : "there is no Python environment; npm run setup:python makes it";

let folder = "";
let agent: TestRuns;
let adapter = "";
let addressSpaceMib: number | undefined;

const modelAt = (name: string) => join(folder, "models", name);

function makeModel(name: string, ...options: readonly string[]): void {
  const args = ["-m", "attune_trainer.testing.tiny_model", modelAt(name), "--hidden", "32", ...options];
  const made = spawnSync(python, args, { encoding: "utf8", env: { ...own, CUDA_VISIBLE_DEVICES: "" } });
  if (made.status !== 0) throw new Error(made.stderr);
}

/** A copy of the good model with one file changed. */
function spoil(name: string, file: string, change: (path: string) => void): void {
  cpSync(modelAt("good"), modelAt(name), { recursive: true });
  change(join(modelAt(name), file));
}

/** All bits of every weight set, which is no number in any format. */
function spoilWeights(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 8 + Number(bytes.readBigUInt64LE(0))));
}

beforeAll(async () => {
  if (why !== "") return;
  folder = await mkdtemp(join(tmpdir(), "attune-trainer-truth-"));
  mkdirSync(join(folder, "models"));
  makeModel("good");
  makeModel("mute", "--no-chat-template");
  makeModel("wider", "--hidden", "48");
  spoil("cut", "model.safetensors", (path) => truncateSync(path, statSync(path).size - 1000));
  spoil("not-a-number", "model.safetensors", spoilWeights);
  spoil("strange", "config.json", (path) => {
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), model_type: "strange" }));
  });
  const engine = createTrainerEngine({ python, environment: {} });
  const withSources = {
    ...engine,
    command: (request: Parameters<typeof engine.command>[0]) => {
      const command = engine.command(request);
      const env = { ...command.env, ...own };
      if (addressSpaceMib === undefined) return { ...command, env };
      const limited = `ulimit -v ${addressSpaceMib * 1024}; exec "$@"`;
      return { program: "/bin/sh", args: ["-c", limited, "sh", command.program, ...command.args], env };
    },
  };
  agent = await startRuns({ dataFolder: join(folder, "data"), engines: [withSources], settings: { cpuRunsAtOnce: 2 } });
}, patienceMs);
afterAll(async () => {
  if (why !== "") return;
  await agent.close();
  await rm(folder, { recursive: true });
});

const usualRows = Array.from({ length: 16 }, (_, index) => ({
  instruction: `What is ${index} plus 1?`,
  output: `It is ${index + 1}.`,
}));

function requestFor(row: TrainerCase): JobRequest {
  const data = join(folder, `${Math.random()}.jsonl`);
  writeFileSync(data, (row.rows ?? usualRows).map((record) => `${JSON.stringify(record)}\n`).join(""));
  const spec = {
    kind: "train",
    method: "sft",
    tuning: "lora",
    ...row.spec,
    model: { path: modelAt(row.model ?? "good") },
    ...(row.withAdapter === true && { adapter_path: adapter }),
    data: { files: [data] },
    training: { batch_size: 4, max_steps: 3, max_length: 128, learning_rate: 0.01, ...row.training },
  };
  return jobRequest.parse({ gpus: "cpu", spec, ...row.request });
}

const hasStep = ({ step }: JobView) => step !== null;

const acts = {
  stop: (job: JobView) => agent.runs.stop(job.job_id),
  kill: async ({ pid }: JobView) => sendSignal(pid ?? 0, "SIGKILL"),
} as const;

describe.skipIf(why !== "")(`the real trainer${why && `: ${why}`}`, () => {
  test.each(trainerCases)("$fault: $injected", { timeout: patienceMs }, async (row) => {
    addressSpaceMib = row.addressSpaceMib;
    const { job_id } = await agent.runs.submit(requestFor(row));
    const { runId } = readStored(join(folder, "data"), job_id);
    if (row.act !== undefined) await acts[row.act](await untilRun(agent.runs, job_id, hasStep, patienceMs));
    const job = await untilRun(agent.runs, job_id, ({ state }) => isEnded(state), patienceMs);
    adapter = job.artifact_dir ?? adapter;
    await checkTruth(row, { agent, job, runId });
    expect(`${job.reason} ${job.failure?.message}`).toContain(row.says ?? "");
    expect(job.checkpoints.some(({ complete }) => complete)).toBe(row.act === "stop" || row.cause === null);
  });
});
