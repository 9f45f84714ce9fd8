import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CacheEntryView, FileReadView } from "@attune/contracts/compute/cache-api.ts";
import type { GpuListView } from "@attune/contracts/compute/device-api.ts";
import type { InferenceSessionView, LoadAnswer } from "@attune/contracts/compute/inference-api.ts";
import { type NodeHealth, nodeHealthSchema } from "@attune/contracts/compute/node-health.ts";
import type { JobView } from "@attune/contracts/compute/run-record.ts";
import { isAlive, until } from "@attune/testkit/processes.ts";
import { writeFakeModel } from "@attune/testkit/fake-inference-worker-model.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endJobs } from "./end-jobs.ts";
import { readFrames } from "./read-frames.ts";
import { type NodeAgentProcess, startNodeAgent } from "./start-node-agent.ts";

const hasProc = existsSync("/proc/self/stat");
if (!hasProc) console.log("Tests of the node agent look processes up in /proc and are skipped.");
const timeout = 300_000;
const patient = { timeout: 120_000, interval: 50 };

let folder = "";
let settings: Readonly<Record<string, string>> = {};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "node-agent-"));
  const python = join(folder, "python");
  const fake = join(import.meta.dirname, "fake-python.ts");
  await writeFile(python, `#!/bin/sh\nexec '${process.execPath}' '${fake}' "$@"\n`);
  await chmod(python, 0o700);
  await mkdir(join(folder, "shared"));
  settings = {
    NODE_AGENT_GPU_SIM: "2xH100-80GB",
    NODE_AGENT_PYTHON: python,
    NODE_AGENT_TOKEN: "a-token-of-the-node-for-tests",
    NODE_AGENT_CACHE_ROOTS: join(folder, "shared"),
  };
});
afterEach(async () => {
  endJobs(folder);
  await rm(folder, { recursive: true, force: true });
});

const start = (): Promise<NodeAgentProcess> => startNodeAgent(join(folder, "data"), settings);

const jobOf = (id: string, mode: string, more: Readonly<Record<string, unknown>> = {}) => ({
  job_id: id,
  spec: {
    kind: "train",
    method: "sft",
    tuning: "lora",
    model: { path: `/fake/${mode}` },
    data: { files: ["/d.jsonl"] },
  },
  ...more,
});

async function get<T>(agent: NodeAgentProcess, path: string): Promise<T> {
  const { status, body } = await agent.ask("GET", path);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body as T;
}

const stateOf = async (agent: NodeAgentProcess, id: string): Promise<string> =>
  (await get<JobView>(agent, `/compute/jobs/${id}`)).state;

test.skipIf(!hasProc)(
  "a job runs on a GPU that it has, outlives the agent that is killed, is found by the next one, and stops with a checkpoint",
  { timeout },
  async () => {
    const first = await start();
    const health = await get<NodeHealth>(first, "/health");
    expect(nodeHealthSchema.safeParse(health).error).toBeUndefined();
    expect(health.gpus).toMatchObject({ total: 2, free: 2, is_simulated: true });
    expect(health.engines.find(({ name }) => name === "trainer")).toMatchObject({ available: true });

    const request = jobOf("long", "until-stopped", { gpu_indices: [1] });
    expect((await first.ask("POST", "/compute/jobs", request)).status).toBeLessThan(300);
    await expect.poll(() => stateOf(first, "long"), patient).toBe("running");
    const { pid, gpus } = await get<JobView>(first, "/compute/jobs/long");
    expect(gpus).toEqual([1]);
    const list = await get<GpuListView>(first, "/compute/gpus");
    expect(list.gpus.map(({ status, holder }) => [status, holder])).toEqual([
      ["free", null],
      ["busy", "job:long"],
    ]);
    expect(await get<NodeHealth>(first, "/health")).toMatchObject({ jobs: { running: 1 }, active_count: 1 });
    first.signal("SIGKILL");
    await first.ended;
    expect(isAlive(pid ?? 0)).toBe(true);

    await using second = await start();
    const found = await get<JobView>(second, "/compute/jobs/long");
    expect([found.state, found.pid]).toEqual(["running", pid]);
    await expect
      .poll(async () => (await get<JobView>(second, "/compute/jobs/long")).step, patient)
      .toBeGreaterThan(found.step ?? 0);
    expect((await second.ask("POST", "/compute/jobs/long/stop")).status).toBe(200);
    await expect.poll(() => stateOf(second, "long"), patient).toBe("stopped");
    const stopped = await get<JobView>(second, "/compute/jobs/long");
    expect(stopped.checkpoints).toHaveLength(1);
    expect(stopped.log_tail.join("\n")).toContain("stop asked, in the control file: true");
    await expect.poll(async () => (await get<NodeHealth>(second, "/health")).gpus.free, patient).toBe(2);
  },
);

test.skipIf(!hasProc)(
  "what a job says is followed as it comes, what it made is read, and why one failed is told",
  { timeout },
  async () => {
    await using agent = await start();
    await agent.ask("POST", "/compute/jobs", jobOf("good", "slow", { gpus: "cpu" }));
    const headers = { authorization: `Bearer ${settings["NODE_AGENT_TOKEN"]}` };
    const types: (string | undefined)[] = [];
    for await (const { event, data } of readFrames(await fetch(`${agent.url}/compute/jobs/good/events`, { headers }))) {
      types.push(event === "event" ? (JSON.parse(data) as { type: string }).type : event);
    }
    expect(types[0]).toBe("hello");
    expect(types.filter((type) => type === "metrics")).toHaveLength(40);
    expect(types.slice(-2)).toEqual(["done", "job"]);
    expect(await get(agent, "/compute/jobs/good")).toMatchObject({ state: "succeeded" });
    expect(await get(agent, "/compute/jobs/good/artifacts")).toMatchObject({
      artifacts: [{ path: "output/adapter_model.safetensors", size_bytes: 7 }],
    });
    const path = "good/output/adapter_model.safetensors";
    expect((await get<FileReadView>(agent, `/compute/files/read?root=runs&path=${path}`)).content).toBe("weights");
    expect((await agent.ask("GET", "/compute/files/read?root=runs&path=../agent.lock")).status).toBe(404);

    await agent.ask("POST", "/compute/jobs", jobOf("bad", "model-corrupt", { gpus: "cpu" }));
    await expect.poll(() => stateOf(agent, "bad"), patient).toBe("failed");
    const failed = await get<JobView>(agent, "/compute/jobs/bad");
    expect(failed.failure).toMatchObject({ cause: "model_corrupt", hint: expect.stringMatching(/\w/) });
    expect(failed.log_tail.join("\n")).toContain("header too large");
    const metrics = await (await fetch(`${agent.url}/metrics`, { headers })).text();
    expect(metrics).toMatch(/^node_agent_gpus\{use="free"\} 2$/m);
    expect(metrics).toMatch(/^node_agent_http_request_seconds_count\{route="\/compute\/jobs\/:job_id"/m);
  },
);

async function loaded(
  agent: NodeAgentProcess,
  request: Readonly<Record<string, unknown>>,
): Promise<InferenceSessionView> {
  const { status, body } = await agent.ask("POST", "/inference/load", request);
  expect([status, (body as LoadAnswer).success, (body as LoadAnswer).message]).toEqual([200, true, expect.any(String)]);
  const find = async () => {
    const { sessions } = await get<{ sessions: InferenceSessionView[] }>(agent, "/inference/status");
    return sessions.find(({ load_id: id }) => id === (body as LoadAnswer).load_id);
  };
  await expect.poll(async () => (await find())?.state, patient).toBe("ready");
  const session = await find();
  if (session === undefined) throw new Error("the session is gone");
  return session;
}

test.skipIf(!hasProc)(
  "a model is loaded, answers whole, in frames and in OpenAI's form, and ends with the agent",
  { timeout },
  async () => {
    const agent = await start();
    const model = await writeFakeModel(join(folder, "shared/model"), { tokens: ["Good ", "morning"] });
    const session = await loaded(agent, { model_path: model, gpu_id: 0, task_id: "task-1" });
    const chat = { task_id: "task-1", messages: [{ role: "user", content: "Hello" }] };
    expect((await agent.ask("POST", "/inference/chat", chat)).body).toMatchObject({
      message: { role: "assistant", content: "Good morning" },
    });
    const headers = { authorization: `Bearer ${settings["NODE_AGENT_TOKEN"]}`, "content-type": "application/json" };
    const stream = await fetch(`${agent.url}/inference/chat/stream`, {
      method: "POST",
      headers,
      body: JSON.stringify(chat),
    });
    const frames = await Array.fromAsync(readFrames(stream));
    const deltas = frames
      .filter(({ event }) => event === "delta")
      .map(({ data }) => (JSON.parse(data) as { text: string }).text);
    expect([deltas.join(""), frames.at(-1)?.event]).toEqual(["Good morning", "done"]);
    const openai = { model: "task-1", messages: chat.messages };
    expect((await agent.ask("POST", "/v1/chat/completions", openai)).body).toMatchObject({
      choices: [{ message: { content: "Good morning" } }],
    });
    expect(await get<NodeHealth>(agent, "/health")).toMatchObject({ models: [{ state: "ready" }], gpus: { busy: 1 } });
    // A load that cannot be is no failure of HTTP.
    const refused = await agent.ask("POST", "/inference/load", { model_path: "/nowhere/model" });
    expect(refused).toMatchObject({ status: 200, body: { success: false, reason: expect.stringMatching(/\w/) } });
    agent.signal("SIGKILL");
    await agent.ended;
    await until(() => !isAlive(session.pid ?? 0), 60_000, "the model ends with its agent");
  },
);

test.skipIf(!hasProc)(
  "an agent that is told to end unloads its models, and leaves its jobs alone",
  { timeout },
  async () => {
    const agent = await start();
    const model = await writeFakeModel(join(folder, "shared/model"), { tokens: ["Hi"] });
    const session = await loaded(agent, { model_path: model, gpus: "cpu" });
    await agent.ask("POST", "/compute/jobs", jobOf("on", "until-stopped", { gpus: "cpu" }));
    await expect.poll(() => stateOf(agent, "on"), patient).toBe("running");
    const { pid } = await get<JobView>(agent, "/compute/jobs/on");
    agent.signal("SIGTERM");
    expect(await agent.ended).toBe(0);
    expect([isAlive(session.pid ?? 0), isAlive(pid ?? 0)]).toEqual([false, true]);
    await using next = await start();
    expect((await next.ask("POST", "/compute/jobs/on/stop")).status).toBe(200);
    await expect.poll(() => stateOf(next, "on"), patient).toBe("stopped");
  },
);

test("a model is brought into the cache, and its files are read there", { timeout }, async () => {
  await using agent = await start();
  await writeFakeModel(join(folder, "shared/model"));
  const source = { type: "local", path: join(folder, "shared/model") };
  const prepared = await agent.ask("POST", "/compute/cache/prepare", { kind: "model", key: "small", source });
  expect(prepared.status).toBe(200);
  const entry = () => get<CacheEntryView>(agent, "/compute/cache/model/small");
  await expect.poll(async () => (await entry()).state, patient).toBe("ready");
  const { path } = await entry();
  const file = await get<FileReadView>(
    agent,
    `/compute/files/read?path=${encodeURIComponent(join(path ?? "", "config.json"))}`,
  );
  expect(JSON.parse(file.content)).toMatchObject({ model_type: "llama" });
  const hidden = await agent.ask("GET", "/compute/files/read?root=cache&path=.locks");
  expect([hidden.status, hidden.body]).toMatchObject([404, { reason: "NODE_FILE_NOT_READABLE" }]);

  // What a job or a model uses is not removed.
  const session = await loaded(agent, { model_path: path, gpus: "cpu" });
  const refused = await agent.ask("DELETE", "/compute/cache/model/small");
  expect([refused.status, refused.body]).toMatchObject([409, { reason: "CACHE_ENTRY_IN_USE" }]);
  await agent.ask("POST", "/inference/unload", { load_id: session.load_id });
  expect((await agent.ask("DELETE", "/compute/cache/model/small")).status).toBe(204);
});
