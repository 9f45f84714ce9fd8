import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { NodeHealth } from "@attune/contracts/compute/node-health.ts";
import { type ArtifactView, isEnded, type JobView } from "@attune/contracts/compute/run-record.ts";
import { type WorkerEvent, workerEvent } from "@attune/contracts/compute/worker-events.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endJobs } from "../node-agent/end-jobs.ts";
import { type NodeAgentProcess, startNodeAgent } from "../node-agent/start-node-agent.ts";
import { findTrainerPython } from "../trainer/find-python.ts";
import { findLlamaFactoryPython, sources } from "./find-python.ts";

const python = findLlamaFactoryPython();
const trainerPython = python === undefined ? undefined : findTrainerPython();
const isThere = python !== undefined && trainerPython !== undefined;
/** Importing PyTorch takes long where other tests run beside this one. */
const timeout = 900_000;
const patient = { timeout: 800_000, interval: 200 };

let folder = "";
let agent: NodeAgentProcess;

beforeAll(async () => {
  if (!isThere) return;
  folder = await mkdtemp(join(tmpdir(), "attune-llamafactory-"));
  runTrainerPython("-m", "attune_trainer.testing.tiny_model", join(folder, "model"), "--arch", "llama");
  agent = await startNodeAgent(join(folder, "data"), { NODE_AGENT_LLAMAFACTORY_PYTHON: python ?? "" });
}, timeout);
afterAll(async () => {
  if (!isThere) return;
  await agent[Symbol.asyncDispose]();
  endJobs(folder);
  await rm(folder, { recursive: true, force: true });
});

/** What it printed. */
function runTrainerPython(...args: readonly string[]): string {
  const env = { PYTHONPATH: sources, CUDA_VISIBLE_DEVICES: "", OMP_NUM_THREADS: "1" };
  const { status, stdout, stderr } = spawnSync(trainerPython ?? "", args, { encoding: "utf8", env });
  expect([status, stderr.slice(-2000)]).toEqual([0, expect.any(String)]);
  return stdout;
}

const rows = Array.from({ length: 24 }, (_, n) => ({
  instruction: `What is ${n} plus 1?`,
  output: `It is ${n + 1}.`,
}));

function specFor(name: string, fields: object = {}, records: readonly object[] = rows) {
  const data = join(folder, "rows", `${name}.json`);
  mkdirSync(dirname(data), { recursive: true });
  writeFileSync(data, JSON.stringify(records));
  return {
    kind: "train",
    model: { path: join(folder, "model") },
    method: "sft",
    tuning: "lora",
    data: { files: [data] },
    training: { batch_size: 4, learning_rate: 0.01, epochs: 4, save_steps: 5 },
    ...fields,
  };
}

const submit = (job_id: string, spec: object) =>
  agent.ask("POST", "/compute/jobs", { job_id, engine: "llamafactory", gpus: "cpu", spec });

/** Submits what is to be taken. */
async function run(job_id: string, spec: object): Promise<void> {
  const { status, body } = await submit(job_id, spec);
  expect([status < 300, body]).toEqual([true, expect.anything()]);
}

const jobOf = async (id: string) => (await agent.ask("GET", `/compute/jobs/${id}`)).body as JobView;

async function endOf(id: string): Promise<JobView> {
  await expect.poll(async () => isEnded((await jobOf(id)).state), patient).toBe(true);
  return jobOf(id);
}

const runFolder = (id: string) => join(folder, "data/runs", id);

/** Every line as the contract has it, which throws for one that is not. */
function eventsOf(id: string): readonly WorkerEvent[] {
  const lines = readFileSync(join(runFolder(id), "events.ndjson"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => workerEvent.parse(JSON.parse(line)));
}

describe.skipIf(!isThere)("jobs of engine llamafactory", () => {
  test("the node says what it can do", { timeout }, async () => {
    const { engines } = (await agent.ask("GET", "/health")).body as NodeHealth;
    const report = engines.find(({ name }) => name === "llamafactory");
    expect(report).toMatchObject({ kind: "job", available: true, unavailable_reason: "" });
    expect(report?.versions["llamafactory"]).toMatch(/^0\.9\./);
    const evaluation = { kind: "eval", model: { path: join(folder, "model") }, data: { files: ["/rows.json"] } };
    const { status, body } = await submit("evaluation", evaluation);
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining("for engine trainer")]);
  });

  test("an adapter is learned, with a loss that falls, and loads in PEFT", { timeout }, async () => {
    await run("lora", specFor("lora"));
    const job = await endOf("lora");
    expect([job.state, job.failure, job.log_tail]).toEqual(["succeeded", null, []]);
    expect(job).toMatchObject({ engine: "llamafactory", step: 24, total_steps: 24, unreadable_events: 0 });

    const events = eventsOf("lora");
    const losses = events.flatMap((event) => (event.type === "metrics" ? [event.metrics["loss"] ?? Number.NaN] : []));
    expect(losses).toHaveLength(24);
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) - 0.3);
    expect(events.find(({ type }) => type === "dataset")).toMatchObject({ records_raw: 24, train: 24, dropped: {} });
    expect(events.find(({ type }) => type === "hello")).toMatchObject({
      versions: { llamafactory: expect.any(String) },
    });
    const told = new Set(events.map(({ type }) => type));
    expect([...told]).toEqual(
      expect.arrayContaining(["phase", "progress", "checkpoint", "artifact", "result", "done"]),
    );

    const answer = (await agent.ask("GET", "/compute/jobs/lora/artifacts?verify=true")).body;
    const { artifacts } = answer as { artifacts: ArtifactView[] };
    const adapter = artifacts.find(({ path }) => path.endsWith("adapter_model.safetensors"));
    const content = readFileSync(join(runFolder("lora"), "output/adapter_model.safetensors"));
    expect(adapter?.checksum_sha256).toBe(createHash("sha256").update(content).digest("hex"));

    const difference = runTrainerPython("-c", compareLosses, join(folder, "model"), join(runFolder("lora"), "output"));
    expect(Number(difference)).toBeGreaterThan(0.2);
  });

  test("killed it is told to have crashed, and its checkpoint is gone on from", { timeout }, async () => {
    const spec = specFor("killed", { training: { batch_size: 4, learning_rate: 0.01, epochs: 1000, save_steps: 5 } });
    await run("killed", spec);
    await expect.poll(async () => (await jobOf("killed")).checkpoints.length, patient).toBeGreaterThan(1);
    process.kill((await jobOf("killed")).pid ?? 0, "SIGKILL");
    const killed = await endOf("killed");
    expect([killed.state, killed.failure?.cause, killed.failure?.retryable]).toEqual([
      "failed",
      "engine_crashed",
      true,
    ]);
    expect(killed.log_tail.length).toBeGreaterThan(0);

    const { path = "", step = 0 } = killed.checkpoints.at(-1) ?? {};
    await run("resumed", { ...spec, resume: join(runFolder("killed"), path) });
    await expect.poll(async () => (await jobOf("resumed")).step, patient).toBeGreaterThan(step);
    const first = eventsOf("resumed").find(({ type }) => type === "metrics");
    expect(first).toMatchObject({ step: step + 1 });

    await agent.ask("POST", "/compute/jobs/resumed/stop");
    const stopped = await endOf("resumed");
    expect([stopped.state, stopped.failure]).toEqual(["stopped", null]);
    expect(stopped.checkpoints.at(-1)).toMatchObject({ step: stopped.step, complete: true });
    expect(eventsOf("resumed").at(-1)).toMatchObject({ type: "done", status: "cancelled" });
  });

  test.each([
    { id: "bad-rows", fields: {}, records: [...rows, { instruction: "?" }], cause: "bad_dataset", says: "record 25" },
    {
      id: "no-model",
      fields: { model: { path: "/nowhere" } },
      records: rows,
      cause: "file_not_found",
      says: "/nowhere",
    },
    { id: "no-counterpart", fields: { lora: { bias: "all" } }, records: rows, cause: "bad_spec", says: "lora.bias" },
  ])("$id ends as $cause", { timeout }, async ({ id, fields, records, cause, says }) => {
    await run(id, specFor(id, fields, records));
    const { state, failure } = await endOf(id);
    expect([state, failure?.cause, failure?.message]).toEqual(["failed", cause, expect.stringContaining(says)]);
  });
});

/** Prints by how much less the answers of the data surprise the model with its adapter than the model without. */
const compareLosses = `
import sys, torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer
base, adapter = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(adapter)
messages = [{"role": "user", "content": "What is 3 plus 1?"}, {"role": "assistant", "content": "It is 4."}]
encode = lambda text: tokenizer.encode(text, add_special_tokens=False)
asked = len(encode(tokenizer.apply_chat_template(messages[:1], tokenize=False, add_generation_prompt=True)))
ids = torch.tensor([encode(tokenizer.apply_chat_template(messages, tokenize=False))])
labels = ids.clone()
labels[:, :asked] = -100
model = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), adapter).eval()
with torch.no_grad():
    learned = model(ids, labels=labels).loss.item()
    with model.disable_adapter():
        before = model(ids, labels=labels).loss.item()
print(before - learned)
`;
