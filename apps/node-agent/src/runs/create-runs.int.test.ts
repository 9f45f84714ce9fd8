import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findWithVariable } from "../process/read-processes.ts";
import type { RunEvent } from "./read-run-events.ts";
import { fakeEngine, fakeRequest } from "./testing/fake-engine.ts";
import { startRuns, type TestRuns, untilEnded, untilRun } from "./testing/start-runs.ts";

let folder = "";
let agent: TestRuns;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-runs-"));
  agent = await startRuns({ dataFolder: folder, gpus: 2 });
});
afterEach(async () => {
  const { runs, store } = agent;
  const left = store.active().map(({ jobId }) => jobId);
  for (const jobId of left) await runs.stop(jobId, { grace_seconds: 0 }).catch(() => undefined);
  await Promise.all(left.map((jobId) => untilEnded(runs, jobId)));
  await agent.close();
  await rm(folder, { recursive: true });
});

const signal = new AbortController().signal;
const run = async (mode: string, more = {}) => (await agent.runs.submit(fakeRequest(mode, more))).job_id;

test("a run from its request to its artifacts, with a specification that is written once", async () => {
  const jobId = await run("succeed", { gpus: 1 });
  const job = await untilEnded(agent.runs, jobId);
  expect(job).toMatchObject({ state: "succeeded", failure: null, step: 5, total_steps: 5, unreadable_events: 0 });
  expect(job).toMatchObject({ phase: "train", metrics: { loss: 0.2 }, log_tail: [], gpus: [0], is_stale: false });
  const artifacts = await agent.runs.artifacts(jobId, { isHashed: true }, signal);
  expect(artifacts).toMatchObject([{ path: "output/adapter_model.safetensors", size_bytes: 7, role: "adapter" }]);
  expect(JSON.parse(await readFile(agent.store.paths(jobId).spec, "utf8"))).toMatchObject({ kind: "train" });
  expect(await agent.runs.logTail(jobId, 2)).toEqual(["step 4", "step 5"]);
  expect((await agent.runs.list({ limit: 1 })).jobs.map(({ job_id }) => job_id)).toEqual([jobId]);
});

test("an artifact that was changed afterwards is found out", async () => {
  const jobId = await run("succeed");
  await untilEnded(agent.runs, jobId);
  const path = join(agent.store.paths(jobId).output, "adapter_model.safetensors");
  writeFileSync(path, "WEIGHTS");
  expect(await agent.runs.artifacts(jobId, { isHashed: false }, signal)).toHaveLength(1);
  await expect(agent.runs.artifacts(jobId, { isHashed: true }, signal)).rejects.toThrow(
    /RUN_ARTIFACT_CHANGED.*content/,
  );
  writeFileSync(path, "W");
  await expect(agent.runs.artifacts(jobId, { isHashed: false }, signal)).rejects.toThrow(/has 1 bytes/);
});

test("the same request of the same id is the same run, also at once; another request is refused", async () => {
  const request = fakeRequest("until-stopped", { job_id: "mine" });
  const both = await Promise.all([agent.runs.submit(request), agent.runs.submit(request)]);
  expect(both.map(({ job_id }) => job_id)).toEqual(["mine", "mine"]);
  await untilRun(agent.runs, "mine", ({ state }) => state === "running");
  expect((await agent.runs.submit({ ...request })).state).toBe("running");
  await expect(agent.runs.submit(fakeRequest("succeed", { job_id: "mine" }))).rejects.toThrow(/RUN_ID_TAKEN/);
  await expect(agent.runs.submit({ ...request, priority: 3 })).rejects.toThrow(/RUN_ID_TAKEN/);
  const ours = findWithVariable("ATTUNE_RUN_DIR").filter(({ value }) => value.startsWith(folder));
  expect(ours).toHaveLength(2); // the launcher and its worker
});

test("a run waits for its GPUs, and a stop meanwhile starts nothing", async () => {
  const first = await run("until-stopped", { gpus: 2 });
  await untilRun(agent.runs, first, ({ state }) => state === "running");
  const second = await run("succeed", { gpus: 1 });
  const third = await run("succeed", { gpus: 1 });
  const waiting = await untilRun(agent.runs, second, ({ reason }) => reason !== null);
  expect(waiting).toMatchObject({ state: "queued", reason: expect.stringContaining("Waits for GPUs"), gpus: [] });
  expect(await agent.runs.stop(third)).toMatchObject({ state: "stopped", started_at: null, pid: null });
  await agent.runs.stop(first);
  expect(await untilEnded(agent.runs, second)).toMatchObject({ state: "succeeded", gpus: [0] });
  expect(await agent.runs.get(third)).toMatchObject({ state: "stopped", started_at: null });
  await expect(agent.runs.stop(third)).rejects.toThrow(/RUN_ENDED/);
});

test("a limit of memory that the system cannot keep is refused", async () => {
  await agent.close();
  agent = await startRuns({ dataFolder: folder, settings: { canLimitMemory: false } });
  await expect(run("succeed", { memory_limit_mb: 100 })).rejects.toThrow(/MEMORY_LIMIT_UNSUPPORTED/);
  expect((await untilEnded(agent.runs, await run("succeed"))).state).toBe("succeeded");
});

test("a run that has ended is removed with all its files, and its id is free", async () => {
  const jobId = await run("until-stopped", { job_id: "mine" });
  await untilRun(agent.runs, jobId, ({ state }) => state === "running");
  await expect(agent.runs.remove(jobId)).rejects.toThrow(/RUN_NOT_ENDED.*It is running/);
  await agent.runs.stop(jobId);
  await untilEnded(agent.runs, jobId);
  const { folder: files } = agent.store.paths(jobId);
  await vi.waitFor(() => agent.runs.remove(jobId), 10_000);
  expect(existsSync(files)).toBe(false);
  expect(readdirSync(agent.store.root)).toEqual([]);
  await expect(agent.runs.get(jobId)).rejects.toThrow(/RUN_NOT_FOUND/);
  await expect(agent.runs.remove(jobId)).rejects.toThrow(/RUN_NOT_FOUND/);
  await expect(agent.runs.list({ limit: 5, after: jobId })).rejects.toThrow(/RUN_NOT_FOUND.*from the beginning/);
  expect(await agent.runs.list({ limit: 5 })).toEqual({ jobs: [], next_after: null });
  await run("succeed", { job_id: "mine" });
  expect((await untilEnded(agent.runs, "mine")).state).toBe("succeeded");
});

test("what an agent that was killed had not removed yet goes with the next start", async () => {
  const left = join(agent.store.root, ".old-1");
  mkdirSync(join(left, "output"), { recursive: true });
  await agent.close();
  agent = await startRuns({ dataFolder: folder });
  expect(existsSync(left)).toBe(false);
});

test("events from any place on, without a gap or one twice, while it runs and afterwards", async () => {
  const jobId = await run("slow");
  const collect = async (fromOffset: number) => {
    const events: RunEvent[] = [];
    for await (const event of await agent.runs.events(jobId, { fromOffset }, signal)) events.push(event);
    return events;
  };
  await untilRun(agent.runs, jobId, ({ step }) => (step ?? 0) >= 5);
  const live = await collect(0);
  expect((await agent.runs.get(jobId)).state).toBe("succeeded");
  expect(live.map(({ event }) => ("seq" in event ? event.seq : 0))).toEqual(live.map((_, index) => index + 1));
  for (const index of [0, 1, 20, live.length - 1]) {
    expect(await collect(live[index]?.offset ?? 0)).toEqual(live.slice(index + 1));
  }
});

test("lines that are no events are among the events as lines of the log", async () => {
  const jobId = await run("nan-json");
  await untilEnded(agent.runs, jobId);
  const kinds: unknown[] = [];
  for await (const { event } of await agent.runs.events(jobId, { fromOffset: 0 }, signal)) {
    if (event.type === "log") kinds.push(event);
  }
  expect(kinds).toEqual([{ type: "log", level: "protocol", message: expect.stringContaining("NaN") }]);
});

test("a silent run is stale, and so is none that ended", async () => {
  let nowMs = 0;
  await agent.close();
  agent = await startRuns({ dataFolder: folder, monotonicMs: () => nowMs });
  const ticking = setInterval(() => (nowMs += 1000), 10);
  const jobId = await run("silent-start", { grace_seconds: 0 });
  const job = await untilRun(agent.runs, jobId, ({ is_stale }) => is_stale);
  expect(job.state).toBe("starting");
  await agent.runs.stop(jobId);
  const ended = await untilEnded(agent.runs, jobId);
  clearInterval(ticking);
  expect(ended).toMatchObject({ state: "stopped", is_stale: false });
});

test("a run that lives and makes no step is not stale, and tells when it last made one", async () => {
  const before = new Date().toISOString();
  const jobId = await run("hang-with-heartbeat", { grace_seconds: 0 });
  const { progress_at } = await untilRun(agent.runs, jobId, ({ step }) => step === 1);
  expect((progress_at ?? "") > before).toBe(true);
  await setTimeout(300);
  expect(await agent.runs.get(jobId)).toMatchObject({ state: "running", is_stale: false, progress_at });
});

test("engines that are not there or cannot work, ids that nothing is known of, GPUs that the node has not", async () => {
  await expect(agent.runs.submit(fakeRequest("succeed", { engine: "llamafactory" }))).rejects.toThrow(
    /ENGINE_UNAVAILABLE.*no engine llamafactory/,
  );
  await expect(agent.runs.submit(fakeRequest("succeed", { scheduler: "slurm" }))).rejects.toThrow(
    /CLUSTER_UNSET.*no scheduler slurm/,
  );
  await expect(agent.runs.submit(fakeRequest("succeed", { gpus: 9 }))).rejects.toThrow(/GPU_NOT_FOUND/);
  await expect(agent.runs.get("none")).rejects.toThrow(/RUN_NOT_FOUND/);
  await expect(agent.runs.stop("none")).rejects.toThrow(/RUN_NOT_FOUND/);
  await expect(agent.runs.logTail("..", 5)).rejects.toThrow(/RUN_NOT_FOUND/);
  const report = { ...(await fakeEngine.report()), available: false, unavailableReason: "No Python. Install it." };
  await agent.close();
  agent = await startRuns({ dataFolder: folder, engines: [{ ...fakeEngine, report: async () => report }] });
  await expect(agent.runs.submit(fakeRequest("succeed"))).rejects.toThrow(/ENGINE_UNAVAILABLE.*No Python/);
});

test("a job that names a folder that the node may not read from is not taken, whatever its engine is", async () => {
  await agent.close();
  const settings = { allowedFolders: [join(folder, "models")] };
  agent = await startRuns({ dataFolder: folder, settings });
  await expect(agent.runs.submit(fakeRequest("succeed", { engine: "llamafactory" }))).rejects.toThrow(
    /PATH_NOT_ALLOWED.*\//,
  );
  expect(agent.store.ids()).toEqual([]);
});

test("pages of a list meet every run once, the newest first", async () => {
  const made: string[] = [];
  for (let index = 0; index < 5; index++) made.unshift(await run("program/none", { job_id: `job-${index}` }));
  await Promise.all(made.map((jobId) => untilEnded(agent.runs, jobId)));
  const first = await agent.runs.list({ limit: 3 });
  const second = await agent.runs.list({ limit: 3, after: first.next_after ?? undefined });
  expect([...first.jobs, ...second.jobs].map(({ job_id }) => job_id)).toEqual(made);
  expect(second.next_after).toBeNull();
});

test("a run of a cluster that the node is not set up for any more is neither lost nor ended", async () => {
  const jobId = await run("program/none");
  await untilEnded(agent.runs, jobId);
  await agent.close();
  const { record } = agent.store.paths(jobId);
  const stored = JSON.parse(await readFile(record, "utf8")) as object;
  const elsewhere = {
    scheduler: "slurm",
    reference: "17",
    state: "running",
    reason: null,
    failure: null,
    endedAt: null,
  };
  writeFileSync(record, JSON.stringify({ ...stored, ...elsewhere, abort: null }));
  agent = await startRuns({ dataFolder: folder });
  const job = await untilRun(agent.runs, jobId, ({ reason }) => reason !== null);
  expect(job).toMatchObject({
    state: "running",
    reason: expect.stringContaining("not set up for slurm"),
    ended_at: null,
  });
  await agent.close();
  writeFileSync(record, JSON.stringify(stored));
  agent = await startRuns({ dataFolder: folder });
  expect((await agent.runs.get(jobId)).state).toBe("failed");
});
