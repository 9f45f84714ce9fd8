import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArtifactView, JobView } from "@attune/contracts/compute/run-record.ts";
import { expect, onTestFinished } from "vitest";
import { endJobs } from "../node-agent/end-jobs.ts";
import type { NodeAgentProcess } from "../node-agent/start-node-agent.ts";

/** Importing PyTorch takes long where other tests run beside this one. */
const patient = { timeout: 600_000, interval: 200 };

/** A folder with a tiny model and data to train it on; what ran there is ended and removed after the test. */
export async function makeTraining(python: string): Promise<{ readonly folder: string; readonly spec: object }> {
  const folder = await mkdtemp(join(tmpdir(), "cluster-runs-"));
  onTestFinished(async () => {
    endJobs(folder);
    await rm(folder, { recursive: true, force: true });
  });
  const model = join(folder, "model");
  const env = { PYTHONPATH: join(import.meta.dirname, "../../python/trainer/src"), CUDA_VISIBLE_DEVICES: "" };
  const made = spawnSync(python, ["-m", "attune_trainer.testing.tiny_model", model, "--arch", "qwen3"], { env });
  if (made.status !== 0) throw new Error(String(made.stderr));
  const rows = Array.from({ length: 12 }, (_, n) => ({
    instruction: `What is ${n} plus 1?`,
    output: `It is ${n + 1}.`,
  }));
  await writeFile(join(folder, "data.json"), JSON.stringify(rows));
  const data = { files: [join(folder, "data.json")] };
  return { folder, spec: { kind: "train", model: { path: model }, method: "sft", tuning: "lora", data } };
}

export async function submitRun(agent: NodeAgentProcess, body: object): Promise<void> {
  const { status, body: answer } = await agent.ask("POST", "/compute/jobs", body);
  expect([status < 300, answer]).toEqual([true, expect.anything()]);
}

export const viewOf = async (agent: NodeAgentProcess, id: string): Promise<JobView> =>
  (await agent.ask("GET", `/compute/jobs/${id}`)).body as JobView;

export async function untilStates(agent: NodeAgentProcess, id: string, states: RegExp): Promise<JobView> {
  await expect.poll(async () => (await viewOf(agent, id)).state, patient).toMatch(states);
  return await viewOf(agent, id);
}

export const ended = /^(?:succeeded|failed|stopped|lost)$/;

export async function untilTrains(agent: NodeAgentProcess, id: string): Promise<void> {
  await expect.poll(async () => (await viewOf(agent, id)).step ?? 0, patient).toBeGreaterThan(0);
}

/** A run that trains to its end, with its artifacts, which are checked by their sums. */
export async function expectTrained(agent: NodeAgentProcess, id: string): Promise<void> {
  const { state, failure, log_tail: log } = await untilStates(agent, id, ended);
  expect([state, failure, log]).toEqual(["succeeded", null, []]);
  const { body } = await agent.ask("GET", `/compute/jobs/${id}/artifacts?verify=true`);
  const { artifacts } = body as { artifacts: ArtifactView[] };
  expect(artifacts.map(({ path }) => path)).toContainEqual(expect.stringContaining("adapter_model.safetensors"));
}

/** A run that is stopped in the middle: it saves a complete checkpoint. */
export async function expectStoppedWithCheckpoint(agent: NodeAgentProcess, id: string): Promise<void> {
  await untilTrains(agent, id);
  expect((await agent.ask("POST", `/compute/jobs/${id}/stop`)).status).toBeLessThan(300);
  const { state, checkpoints } = await untilStates(agent, id, ended);
  expect(state).toBe("stopped");
  expect(checkpoints.at(-1)).toMatchObject({ complete: true });
}

export const logOf = async (data: string, id: string): Promise<string> =>
  await readFile(join(data, "runs", id, "run.log"), "utf8");
