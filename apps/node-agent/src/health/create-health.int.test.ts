import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeHealthSchema } from "@attune/contracts/compute/node-health.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { EngineReport } from "../engines/job-engine.ts";
import { createHealth, type HealthDeps, judgeMemory } from "./create-health.ts";
import { judgeStorage } from "./judge-storage.ts";
import { makeDevices, makeLeases } from "./node-parts.fixture.ts";
import { probeStorage } from "./probe-storage.ts";

let folder = "";
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "node-health-"))));
afterEach(() => rm(folder, { recursive: true }));

const report = (name: string, unavailableReason = ""): EngineReport => ({
  name,
  description: name,
  supports: ["sft"],
  available: unavailableReason === "",
  unavailableReason,
  versions: { torch: "2" },
});
const engine = (name: string, ask: () => Promise<EngineReport>) => ({ name, report: ask });

function deps(more: Partial<HealthDeps> = {}): HealthDeps {
  return {
    version: "1.2.3",
    dataFolder: folder,
    jobEngines: [engine("trainer", async () => report("trainer"))],
    inferenceEngines: [engine("transformers", async () => report("transformers"))],
    schedulers: [],
    devices: makeDevices(0).devices,
    leases: makeLeases(),
    countJobs: () => ({ queued: 1, starting: 0, running: 2, stopping: 0 }),
    listModels: () => [{ load_id: "a", model: "m", engine: "transformers", state: "ready" }],
    logger: createLogger("node-agent", "silent"),
    timeoutMs: 60_000,
    ...more,
  };
}

const reasonsOf = (health: { readonly findings: readonly { readonly reason: string; readonly state: string }[] }) =>
  health.findings.map(({ reason, state }) => [reason, state]);
// What the machine that tests run on is short of is none of this test's concern.
const machine = new Set(["DISK_SPACE_LOW", "INODES_LOW", "MEMORY_LOW", "STORAGE_SLOW"]);

test("a node where all is well tells its parts, in the form of the contract, and leaves nothing in its folder", async () => {
  const health = await createHealth(deps())();
  expect(nodeHealthSchema.safeParse(health).error).toBeUndefined();
  expect(reasonsOf(health).filter(([reason = ""]) => !machine.has(reason))).toEqual([]);
  expect(health).toMatchObject({ version: "1.2.3", active_count: 3, engines: [{ name: "trainer", kind: "job" }, {}] });
  expect(health.storage?.free_bytes).toBeGreaterThan(0);
  expect(health.storage?.latency_ms).toBeGreaterThan(0);
  expect(health.memory_available_bytes).toBeGreaterThan(0);
  expect(await readdir(folder)).toEqual([]);
});

test("a data folder that is gone or cannot be written fails, with what the system says and no path", async () => {
  const gone = await createHealth(deps({ dataFolder: join(folder, "gone") }))();
  expect(gone).toMatchObject({ state: "failing", storage: null });
  expect(gone.findings).toContainEqual(
    expect.objectContaining({ reason: "STORAGE_UNUSABLE", detail: "The system says ENOENT." }),
  );
  expect(JSON.stringify(gone.findings)).not.toContain(folder);
  if (process.getuid?.() === 0) return; // everything may be written by root
  const closed = join(folder, "closed");
  await mkdir(closed);
  await chmod(closed, 0o500);
  expect((await createHealth(deps({ dataFolder: closed }))()).state).toBe("failing");
});

test("a disk that hangs is told as such, is not asked a second time, and hides nothing else", async () => {
  let asked = 0;
  const probe = () => {
    asked++;
    return new Promise<never>(() => undefined);
  };
  const health = createHealth(deps({ probe, timeoutMs: 50 }));
  const answers = await Promise.all([health(), health()]);
  for (const answer of [...answers, await health()]) {
    expect(answer).toMatchObject({ state: "failing", storage: null, engines: [{ available: true }, {}] });
    expect(answer.findings[0]?.detail).toMatch(/has been waiting for the disk since/);
  }
  expect(asked).toBe(1);
});

test("what a killed probe left is removed by the next one", async () => {
  await writeFile(join(folder, ".probe-0123456789abcdef"), "x");
  await writeFile(join(folder, "kept"), "x");
  await probeStorage(folder);
  expect(await readdir(folder)).toEqual(["kept"]);
});

test("an engine that is not available says why; without any of its kind the node is degraded", async () => {
  const remedy = "Python is not installed: run npm run setup:python.";
  const without = deps({ jobEngines: [engine("trainer", async () => report("trainer", remedy))] });
  const health = await createHealth(without)();
  expect(health.engines[0]).toMatchObject({ available: false, unavailable_reason: remedy });
  expect(reasonsOf(health)).toContainEqual(["NO_JOB_ENGINE", "degraded"]);
  const other = engine("llamafactory", async () => report("llamafactory"));
  const both = await createHealth(deps({ ...without, jobEngines: [...without.jobEngines, other] }))();
  expect(reasonsOf(both)).not.toContainEqual(["NO_JOB_ENGINE", "degraded"]);
});

test("an engine that fails or hangs when it is asked is told by its name, and others are told beside it", async () => {
  const hangs = engine("hanging", () => new Promise(() => undefined));
  const breaks = engine("broken", () => Promise.reject(new Error("It broke.")));
  const scheduler = { name: "slurm", report: () => Promise.reject(new Error("No sinfo.")) };
  const all = { jobEngines: [hangs], inferenceEngines: [breaks], schedulers: [scheduler], timeoutMs: 50 };
  const health = await createHealth(deps(all))();
  expect(health.engines[0]?.unavailable_reason).toMatch(/has not answered since/);
  expect(health.engines[1]?.unavailable_reason).toContain("It broke.");
  expect(health.schedulers[0]).toMatchObject({ name: "slurm", available: false });
  expect(health.findings.filter(({ reason }) => reason === "ENGINE_UNKNOWN")).toHaveLength(3);
});

test("GPUs are counted by their use, simulated ones are marked, and faults are told", async () => {
  const { devices, figures } = makeDevices(3);
  figures.set(2, { fault: "It fell off the bus.", memoryUsedMb: null });
  const ports = deps({ devices, leases: makeLeases(["free", "busy", "faulty"]) });
  const health = await createHealth(ports)();
  expect(health.gpus).toMatchObject({
    is_simulated: true,
    total: 3,
    free: 1,
    busy: 1,
    faulty: 1,
    memory_used_mb: null,
  });
  expect(health.gpus.memory_total_mb).toBeGreaterThan(0);
  expect(reasonsOf(health)).toContainEqual(["GPU_FAULTY", "degraded"]);
  figures.fail("The driver does not answer.");
  expect(reasonsOf(await createHealth(ports)())).toContainEqual(["GPUS_UNREADABLE", "degraded"]);
});

test("a full disk fails before it is full, few inodes and little memory are told", () => {
  const reading = {
    checkedAt: new Date(),
    latencyMs: 1,
    totalBytes: 2 ** 40,
    freeBytes: 2 ** 39,
    totalInodes: null,
    freeInodes: null,
  };
  const judge = (more: Partial<typeof reading> | { readonly freeInodes: number }) =>
    reasonsOf(judgeStorage({ value: { ...reading, ...more } }));
  expect(judge({})).toEqual([]);
  expect(judge({ freeBytes: 2 ** 32 })).toEqual([["DISK_SPACE_LOW", "degraded"]]);
  expect(judge({ freeBytes: 2 ** 20 })).toEqual([["DISK_SPACE_LOW", "failing"]]);
  expect(judge({ freeInodes: 5000 })).toEqual([["INODES_LOW", "degraded"]]);
  expect(judge({ freeInodes: 5 })).toEqual([["INODES_LOW", "failing"]]);
  expect(judge({ latencyMs: 3000 })).toEqual([["STORAGE_SLOW", "degraded"]]);
  expect(reasonsOf(judgeMemory({ totalBytes: 2 ** 34, availableBytes: 2 ** 20 }))).toEqual([
    ["MEMORY_LOW", "degraded"],
  ]);
});
