import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileReadView } from "@attune/contracts/compute/cache-api.ts";
import { evalResults } from "@attune/contracts/compute/eval-results.ts";
import type { InferenceSessionView } from "@attune/contracts/compute/inference-api.ts";
import type { NodeHealth } from "@attune/contracts/compute/node-health.ts";
import type { ArtifactView, JobView } from "@attune/contracts/compute/run-record.ts";
import { expect, onTestFinished, test } from "vitest";
import { findTrainerPython } from "../trainer/find-python.ts";
import { endJobs } from "./end-jobs.ts";
import { type NodeAgentProcess, startNodeAgent } from "./start-node-agent.ts";

const python = findTrainerPython();
/** Importing PyTorch takes long where other tests run beside this one. */
const timeout = 900_000;
const patient = { timeout: 600_000, interval: 200 };

async function get<T>(agent: NodeAgentProcess, path: string): Promise<T> {
  return (await agent.ask("GET", path)).body as T;
}

/** A job once it has ended. */
async function endOf(agent: NodeAgentProcess, id: string): Promise<JobView> {
  const job = () => get<JobView>(agent, `/compute/jobs/${id}`);
  await expect.poll(async () => (await job()).state, patient).toMatch(/^(?:succeeded|failed|stopped|lost)$/);
  return job();
}

test.skipIf(python === undefined)(
  "a model is trained by the real trainer, the adapter that it made is evaluated, and answers in a chat",
  { timeout },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "node-agent-python-"));
    onTestFinished(async () => {
      endJobs(folder);
      await rm(folder, { recursive: true, force: true });
    });
    const model = join(folder, "model");
    const made = spawnSync(python ?? "", ["-m", "attune_trainer.testing.tiny_model", model, "--arch", "qwen3"], {
      encoding: "utf8",
      env: { PYTHONPATH: join(import.meta.dirname, "../../python/trainer/src"), CUDA_VISIBLE_DEVICES: "" },
    });
    expect([made.status, made.stderr.slice(-2000)]).toEqual([0, expect.any(String)]);
    const rows = Array.from({ length: 12 }, (_, n) => ({
      instruction: `What is ${n} plus 1?`,
      output: `It is ${n + 1}.`,
    }));
    await writeFile(join(folder, "data.json"), JSON.stringify(rows));

    await using agent = await startNodeAgent(join(folder, "data"), { NODE_AGENT_PYTHON: python ?? "" });
    const { engines } = await get<NodeHealth>(agent, "/health");
    expect(engines.filter(({ available }) => available).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["trainer", "transformers"]),
    );
    const spec = {
      kind: "train",
      model: { path: model },
      method: "sft",
      tuning: "lora",
      data: { files: [join(folder, "data.json")] },
      training: { max_steps: 2 },
    };
    const submitted = await agent.ask("POST", "/compute/jobs", { job_id: "real", gpus: "cpu", spec });
    expect([submitted.status < 300, submitted.body]).toEqual([true, expect.anything()]);
    const { state, failure, log_tail: log, artifact_dir: output } = await endOf(agent, "real");
    expect([state, failure, log]).toEqual(["succeeded", null, []]);
    const { artifacts } = await get<{ artifacts: ArtifactView[] }>(agent, "/compute/jobs/real/artifacts?verify=true");
    expect(artifacts.map(({ path }) => path)).toContainEqual(expect.stringContaining("adapter_model.safetensors"));

    const adapter = artifacts.find(({ path }) => path.endsWith("adapter_model.safetensors"))?.path ?? "";
    const adapter_path = join(output ?? "", "..", adapter, "..");
    const data = { files: [join(folder, "data.json")], max_records: 3 };
    const evaluation = { kind: "eval", model: { path: model }, adapter_path, data, generation: { max_new_tokens: 4 } };
    await agent.ask("POST", "/compute/jobs", { job_id: "scores", gpus: "cpu", spec: evaluation });
    expect(await endOf(agent, "scores")).toMatchObject({ state: "succeeded", failure: null });
    const file = await get<FileReadView>(agent, "/compute/files/read?root=runs&path=scores/output/eval_results.json");
    const results = evalResults.parse(JSON.parse(file.content));
    expect(Object.values(results.metrics).every((value) => value !== null)).toBe(true);

    await agent.ask("POST", "/inference/load", { model_path: model, adapter_path, gpus: "cpu" });
    const session = async () =>
      (await get<{ sessions: InferenceSessionView[] }>(agent, "/inference/status")).sessions[0];
    await expect.poll(async () => (await session())?.state, patient).toMatch(/^(?:ready|error)$/);
    const { state: loaded, message } = (await session()) ?? {};
    expect([loaded, message]).toEqual(["ready", expect.any(String)]);
    const messages = [{ role: "user", content: "What is 1 plus 1?" }];
    const chat = await agent.ask("POST", "/inference/chat", { messages, generation: { max_new_tokens: 8 } });
    expect(chat).toMatchObject({
      status: 200,
      body: { message: { role: "assistant" }, usage: { prompt_tokens: expect.any(Number) } },
    });
    expect((await agent.ask("POST", "/inference/unload", {})).body).toMatchObject({ success: true });
  },
);
