import { readFile } from "node:fs/promises";
import { arch, availableParallelism, freemem, hostname, platform, release, totalmem } from "node:os";
import type { NodeHealth, NodeHealthFinding, NodeState } from "@attune/contracts/compute/node-health.ts";
import { nodeStates } from "@attune/contracts/compute/node-health.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { DeviceProvider } from "../devices/device-provider.ts";
import type { GpuLeases } from "../devices/gpu-leases.ts";
import type { InferenceEngine } from "../engines/inference-engine.ts";
import type { JobEngine } from "../engines/job-engine.ts";
import type { Scheduler } from "../schedulers/scheduler.ts";
import { createCheck } from "./check-once.ts";
import { findingOf } from "./finding.ts";
import { judgeEngines, judgeSchedulers } from "./judge-engines.ts";
import { judgeGpus } from "./judge-gpus.ts";
import { judgeStorage } from "./judge-storage.ts";
import { probeStorage } from "./probe-storage.ts";

export interface HealthDeps {
  readonly version: string;
  readonly dataFolder: string;
  readonly jobEngines: readonly Pick<JobEngine, "name" | "report">[];
  readonly inferenceEngines: readonly Pick<InferenceEngine, "name" | "report">[];
  readonly schedulers: readonly Pick<Scheduler, "name" | "report">[];
  readonly devices: Pick<DeviceProvider, "name" | "isSimulated" | "latest">;
  readonly leases: Pick<GpuLeases, "uses">;
  /** Jobs that have not ended, by state. */
  readonly countJobs: () => NodeHealth["jobs"];
  readonly listModels: () => NodeHealth["models"];
  readonly logger: Logger;
  /** Time that one check may take, in milliseconds; five seconds unless given. */
  readonly timeoutMs?: number;
  /** Checks the data folder; a test may put a disk that hangs in its place. */
  readonly probe?: typeof probeStorage;
}

/** A function that looks at everything the node stands on, and answers within the time of one check. */
export function createHealth(deps: HealthDeps): () => Promise<NodeHealth> {
  const { timeoutMs = 5000, probe = probeStorage, dataFolder } = deps;
  const startedAt = new Date();
  const checkStorage = createCheck(() => probe(dataFolder), timeoutMs);
  const askEngines = createEngineChecks(deps, timeoutMs);
  const tell = createTeller(deps.logger);
  return async () => {
    const checkedAt = new Date();
    const [storage, { engines, schedulers }, memory] = await Promise.all([
      checkStorage().then(judgeStorage),
      askEngines(),
      readMemory(),
    ]);
    const gpus = judgeGpus(deps.devices, deps.leases);
    const parts = [storage, judgeMemory(memory), gpus, engines, schedulers];
    const findings = parts.flatMap((part) => part.findings);
    tell(findings);
    return {
      state: worstOf(findings),
      findings,
      ...describeAgent(deps.version, startedAt),
      checked_at: checkedAt.toISOString(),
      memory_total_bytes: memory.totalBytes,
      memory_available_bytes: memory.availableBytes,
      storage: storage.storage,
      gpus: gpus.gpus,
      engines: engines.engines,
      schedulers: schedulers.schedulers,
      ...describeWork(deps),
    };
  };
}

interface Reporter<T> {
  readonly name: string;
  report(): Promise<T>;
}

/** Each engine and scheduler has a check of its own, so that one that hangs keeps none of the others. */
function createEngineChecks({ jobEngines, inferenceEngines, schedulers }: HealthDeps, timeoutMs: number) {
  const checkOf = <T>(reporter: Reporter<T>) => ({
    name: reporter.name,
    check: createCheck(() => reporter.report(), timeoutMs),
  });
  const engines = [
    ...jobEngines.map((one) => ({ ...checkOf(one), kind: "job" as const })),
    ...inferenceEngines.map((one) => ({ ...checkOf(one), kind: "inference" as const })),
  ];
  const others = schedulers.map((one) => checkOf(one));
  return async () => {
    const [askedEngines, askedSchedulers] = await Promise.all([
      Promise.all(engines.map(async ({ name, kind, check }) => ({ name, kind, result: await check() }))),
      Promise.all(others.map(async ({ name, check }) => ({ name, result: await check() }))),
    ]);
    return { engines: judgeEngines(askedEngines), schedulers: judgeSchedulers(askedSchedulers) };
  };
}

const describeAgent = (version: string, startedAt: Date) => ({
  node: hostname(),
  version,
  platform: `${platform()} ${release()} ${arch()}`,
  node_version: process.version,
  started_at: startedAt.toISOString(),
  uptime_seconds: Math.round((Date.now() - startedAt.getTime()) / 100) / 10,
  cpus: availableParallelism(),
});

function describeWork({ countJobs, listModels }: HealthDeps): Pick<NodeHealth, "jobs" | "models" | "active_count"> {
  const jobs = countJobs();
  const models = listModels();
  const begun = jobs.starting + jobs.running + jobs.stopping;
  return { jobs, models, active_count: begun + models.filter(({ state }) => state !== "error").length };
}

interface MemoryReading {
  readonly totalBytes: number;
  readonly availableBytes: number;
}

/** What could be used without swapping: `freemem` leaves out what the kernel would give back at once. */
async function readMemory(): Promise<MemoryReading> {
  const text = await readFile("/proc/meminfo", "latin1").catch(() => "");
  const kib = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return { totalBytes: totalmem(), availableBytes: kib === undefined ? freemem() : Number(kib) * 1024 };
}

const lowMemoryBytes = 512 * 2 ** 20;

export function judgeMemory({ availableBytes }: MemoryReading): { readonly findings: readonly NodeHealthFinding[] } {
  if (availableBytes >= lowMemoryBytes) return { findings: [] };
  const detail = `${Math.round(availableBytes / 2 ** 20)} MiB are left.`;
  return { findings: [findingOf("MEMORY_LOW", "degraded", detail)] };
}

const worstOf = (findings: readonly NodeHealthFinding[]): NodeState =>
  nodeStates[Math.max(0, ...findings.map(({ state }) => nodeStates.indexOf(state)))] ?? "failing";

/** Logs what fails when it begins to, not at every question. */
function createTeller(logger: Logger): (findings: readonly NodeHealthFinding[]) => void {
  let known: ReadonlySet<string> = new Set();
  return (findings) => {
    const failing = findings.filter(({ state }) => state === "failing");
    for (const { reason, detail } of failing) {
      if (!known.has(reason)) logger.warn({ reason, detail }, "the node fails");
    }
    known = new Set(failing.map(({ reason }) => reason));
  };
}
