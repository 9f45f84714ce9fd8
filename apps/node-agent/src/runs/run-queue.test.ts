import type { GpuRequest } from "@attune/contracts/compute/run-record.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import type { GpuLeases } from "../devices/gpu-leases.ts";
import { createRunQueue } from "./run-queue.ts";
import type { StoredRun } from "./stored-run.ts";
import { newRun } from "./submit-run.ts";
import { fakeRequest } from "./testing/fake-engine.ts";

/** A node with so many GPUs of which the first are free. */
function openNode(free: number) {
  const node = { free, nowMs: 0, started: [] as string[], waits: new Map<string, string>(), runs: [] as StoredRun[] };
  const countOf = (request: GpuRequest) => (request.mode === "count" ? request.count : 0);
  const leases: Pick<GpuLeases, "acquire" | "release"> = {
    acquire: async (holder, request) => {
      const count = countOf(request);
      if (count > 8) throw new AppError("GPU_NOT_FOUND");
      if (count > node.free) return undefined;
      node.free -= count;
      const gpus = Array.from({ length: count }, (_, index) => index);
      return { leaseId: holder, holder, gpus, token: 1, acquiredAtMs: 0, expiresAtMs: 0 };
    },
    release: async () => undefined,
  };
  const queue = createRunQueue({
    leases: leases as GpuLeases,
    settings: { cpuRunsAtOnce: 1, patienceMs: 1000 },
    logger: createLogger("queue", "silent"),
    monotonicMs: () => node.nowMs,
    active: () => node.runs,
    start: async (jobId, gpus) => {
      node.started.push(jobId);
      node.runs = node.runs.map((run) => (run.jobId === jobId ? { ...run, state: "running", gpus: [...gpus] } : run));
    },
    tellWait: (jobId, reason) => void node.waits.set(jobId, reason),
  });
  const add = (jobId: string, count: number, priority = 0) => {
    const request: GpuRequest = count === 0 ? { mode: "cpu" } : { mode: "count", count };
    const createdAt = new Date(node.runs.length * 1000).toISOString();
    node.runs.push({ ...newRun(fakeRequest("succeed", { job_id: jobId, priority }), request), createdAt });
  };
  return { node, queue, add };
}

test("the greatest priority first, then the oldest", async () => {
  const { node, queue, add } = openNode(2);
  add("old", 1);
  add("young", 1);
  add("urgent", 1, 5);
  await queue.pump();
  expect(node.started).toEqual(["urgent", "old"]);
  expect(node.waits.get("young")).toMatch(/Waits for GPUs/);
});

test("smaller runs pass one that waits, until it has waited long; then they wait behind it, but for those on the CPU", async () => {
  const { node, queue, add } = openNode(2);
  add("large", 4);
  add("small-1", 1);
  await queue.pump();
  expect(node.started).toEqual(["small-1"]);
  node.nowMs = 1500;
  add("small-2", 1);
  add("cpu", 0);
  await queue.pump();
  expect(node.started).toEqual(["small-1", "cpu"]);
  expect(node.waits.get("small-2")).toContain("behind job large");
  node.free = 4;
  await queue.pump();
  expect(node.started).toEqual(["small-1", "cpu", "large"]);
  node.free = 1;
  await queue.pump();
  expect(node.started).toContain("small-2");
});

test("so many runs on the CPU at once", async () => {
  const { node, queue, add } = openNode(0);
  add("a", 0);
  add("b", 0);
  await queue.pump();
  expect(node.started).toEqual(["a"]);
  expect(node.waits.get("b")).toContain("one of 1 jobs on the CPU");
});

test("a run whose GPUs are not there at present waits with the reason, and holds up nobody who can run", async () => {
  const { node, queue, add } = openNode(1);
  add("impossible", 9);
  add("possible", 1);
  await queue.pump();
  expect(node.started).toEqual(["possible"]);
  expect(node.waits.get("impossible")).toContain("GPU_NOT_FOUND");
});

test("a run that is stopped while others are started is not started, not even on a cluster", async () => {
  const { node, queue, add } = openNode(1);
  add("first", 1, 5);
  add("second", 0);
  add("third", 0);
  node.runs = node.runs.map((run) => (run.jobId === "third" ? { ...run, scheduler: "slurm" } : run));
  const pumped = queue.pump();
  // The round has begun, and waits for the GPU of the first.
  await Promise.resolve();
  node.runs = node.runs.map((run) => (run.jobId === "first" ? run : { ...run, state: "stopped" }));
  await pumped;
  expect(node.started).toEqual(["first"]);
  expect(node.waits.size).toBe(0);
});
