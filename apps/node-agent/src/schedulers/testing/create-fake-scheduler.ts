import { type ChildProcess, spawn } from "node:child_process";
import { concludeStatus } from "../conclude-status.ts";
import { renderJobScript } from "../job-script.ts";
import type { ClusterJob, ClusterStatus, PlacedJob, Scheduler, SchedulerReport } from "../scheduler.ts";
import { askToStop } from "../stop-request.ts";

interface FakeJob {
  readonly job: ClusterJob;
  child: ChildProcess | undefined;
  isCancelled: boolean;
}

const plain = { reason: null, cause: null, nodes: [], gpus: [], exitCode: null, signal: null } as const;

/** A cluster of one machine in this process, for tests of what uses schedulers; it keeps their contract. */
export function createFakeScheduler(gpuCount: number): Scheduler & { close(): void } {
  const jobs = new Map<string, FakeJob>();
  const isLive = ({ child }: FakeJob): boolean =>
    child !== undefined && child.exitCode === null && child.signalCode === null;
  const free = (): number => [...jobs.values()].filter(isLive).reduce((left, { job }) => left - job.gpus, gpuCount);
  const startNext = (): void => {
    for (const [reference, entry] of jobs) {
      if (entry.child !== undefined || entry.isCancelled || entry.job.gpus > free()) continue;
      const script = renderJobScript(entry.job, { claim: `'fake ${reference}'`, timeLimitSeconds: undefined });
      const gpus = Array.from({ length: entry.job.gpus }, (_, index) => index).join(",");
      const env = { PATH: "/usr/local/bin:/usr/bin:/bin", CUDA_VISIBLE_DEVICES: gpus };
      entry.child = spawn("bash", ["-c", script], { env, stdio: "ignore", detached: true }).once("exit", startNext);
    }
  };
  const end = (entry: FakeJob | undefined): void => {
    if (entry === undefined) return;
    if (entry.child === undefined || isLive(entry)) entry.isCancelled = true;
    if (isLive(entry)) process.kill(-(entry.child?.pid ?? 0), "SIGKILL");
  };
  return {
    name: "fake",
    report: () => Promise.resolve(reportOf(gpuCount, free())),
    submit: (job) => {
      const reference = referenceOf(job.id);
      if (!jobs.has(reference)) jobs.set(reference, { job, child: undefined, isCancelled: false });
      startNext();
      return Promise.resolve(reference);
    },
    find: (id) => Promise.resolve(jobs.has(referenceOf(id)) ? referenceOf(id) : undefined),
    status: (job) => concludeStatus(job, statusOf(jobs.get(job.reference), isLive)),
    stop: async (job: PlacedJob) => {
      await askToStop(job.runFolder);
      const entry = jobs.get(job.reference);
      if (entry?.child === undefined) end(entry);
    },
    end: (job) => Promise.resolve(end(jobs.get(job.reference))),
    close: () => {
      for (const entry of jobs.values()) end(entry);
    },
  };
}

const referenceOf = (id: string): string => `fake-${id}`;

function reportOf(gpusTotal: number, gpusFree: number): SchedulerReport {
  const pool = { name: "all", nodesUp: 1, nodesTotal: 1, gpusTotal, gpusFree, cpusTotal: null, cpusFree: null };
  const known = { name: "fake", description: "A cluster for tests", version: null };
  return { ...known, available: true, unavailableReason: "", pools: [pool] };
}

function statusOf(entry: FakeJob | undefined, isLive: (entry: FakeJob) => boolean): ClusterStatus {
  if (entry === undefined) return { ...plain, state: "lost", reason: "Nobody knows it.", cause: "node_lost" };
  if (entry.child !== undefined && isLive(entry)) {
    return { ...plain, state: "running", gpus: Array.from({ length: entry.job.gpus }, (_, index) => index) };
  }
  if (entry.isCancelled) return { ...plain, state: "stopped", reason: "It was cancelled." };
  if (entry.child === undefined) return { ...plain, state: "queued", reason: "It waits for GPUs." };
  const { exitCode } = entry.child;
  if (exitCode === 0) return { ...plain, state: "succeeded", exitCode };
  return { ...plain, state: "failed", reason: `It ended with status ${String(exitCode)}.`, exitCode };
}
