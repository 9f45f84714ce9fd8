import { createHash } from "node:crypto";
import type { GpuRequest, JobRequest } from "@attune/contracts/compute/run-record.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import type { JobEngine } from "../engines/job-engine.ts";
import { whyUnavailable } from "../engines/why-unavailable.ts";
import type { Scheduler } from "../schedulers/scheduler.ts";
import { gpuCountOf } from "./cluster-host.ts";
import { defaultRunSettings, type RunSettings } from "./run-settings.ts";
import { nothingHeard, type StoredRun } from "./stored-run.ts";
import { sha256OfJson } from "./sha256-of-json.ts";

export interface Parties {
  readonly engines: readonly JobEngine[];
  readonly schedulers: readonly Scheduler[];
}

/** @throws AppError ENGINE_UNAVAILABLE with the engine's or the scheduler's own reason; CLUSTER_UNSET */
export async function checkParties(request: JobRequest, parties: Parties): Promise<void> {
  const why = await whyUnavailable(engineOf(request.engine, parties));
  if (why !== undefined) throw new AppError("ENGINE_UNAVAILABLE", { detail: why });
  if (request.scheduler === "local") return;
  const { available, unavailableReason } = await schedulerOf(request.scheduler, parties).report();
  if (!available) throw new AppError("ENGINE_UNAVAILABLE", { detail: unavailableReason });
}

/** A cluster keeps its own limits. @throws AppError MEMORY_LIMIT_UNSUPPORTED */
export function checkMemoryLimit(
  { memory_limit_mb: limit, scheduler }: JobRequest,
  { canLimitMemory }: Pick<RunSettings, "canLimitMemory"> = defaultRunSettings,
): void {
  if (limit !== undefined && scheduler === "local" && !canLimitMemory) throw new AppError("MEMORY_LIMIT_UNSUPPORTED");
}

/** @throws AppError ENGINE_UNAVAILABLE when the node has none of this name. */
export function engineOf(name: string, { engines }: Parties): JobEngine {
  const engine = engines.find((candidate) => candidate.name === name);
  if (engine === undefined) throw new AppError("ENGINE_UNAVAILABLE", { detail: `This node has no engine ${name}.` });
  return engine;
}

/** @throws AppError CLUSTER_UNSET when the node has none of this name. */
export function schedulerOf(name: string, { schedulers }: Parties): Scheduler {
  const scheduler = schedulers.find((candidate) => candidate.name === name);
  if (scheduler === undefined) {
    throw new AppError("CLUSTER_UNSET", { detail: `This node has no scheduler ${name}.` });
  }
  return scheduler;
}

/** What makes two requests the same: all but the id. */
export const requestSha256 = (request: JobRequest): string => sha256OfJson({ ...request, job_id: null });

/** A run as it is when it was just asked for. */
export function newRun(request: JobRequest, gpuRequest: GpuRequest): StoredRun {
  return {
    version: 1,
    jobId: request.job_id ?? createId(),
    runId: createId(),
    kind: request.spec.kind,
    engine: request.engine,
    scheduler: request.scheduler,
    requestSha256: requestSha256(request),
    specSha256: createHash("sha256").update(JSON.stringify(request.spec)).digest("hex"),
    priority: request.priority,
    graceSeconds: request.grace_seconds,
    stallTimeoutSeconds: request.stall_timeout_seconds ?? null,
    memoryLimitMb: request.memory_limit_mb ?? null,
    gpuRequest: toStored(gpuRequest),
    createdAt: new Date().toISOString(),
    startedAt: null,
    endedAt: null,
    state: "queued",
    reason: null,
    failure: null,
    isStopAsked: false,
    askedToEnd: null,
    isSent: false,
    abort: null,
    gpus: [],
    leader: null,
    reference: null,
    heard: nothingHeard,
  };
}

const toStored = (request: GpuRequest): StoredRun["gpuRequest"] =>
  request.mode === "explicit" ? { ...request, indices: [...request.indices] } : request;

/** @throws AppError when the engine cannot run such a spec. */
export function checkSpec(engine: JobEngine, request: JobRequest, gpuRequest: GpuRequest): void {
  engine.command({
    spec: request.spec,
    runFolder: "/run",
    deviceCount: gpuCountOf({ gpuRequest: toStored(gpuRequest) }),
  });
}
