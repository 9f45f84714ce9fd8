import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { GpuLease, GpuLeases } from "../devices/gpu-leases.ts";
import { gpuCountOf } from "./cluster-host.ts";
import type { RunSettings } from "./run-settings.ts";
import { holderOfRun } from "./run-store.ts";
import type { StoredRun } from "./stored-run.ts";

export interface QueueDeps {
  readonly leases: GpuLeases;
  readonly settings: Pick<RunSettings, "cpuRunsAtOnce" | "patienceMs">;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
  /** Runs that have not ended. */
  readonly active: () => readonly StoredRun[];
  /** Starts a run that has its GPUs. Never throws. */
  readonly start: (jobId: string, gpus: readonly number[]) => Promise<void>;
  readonly tellWait: (jobId: string, reason: string) => void;
}

export interface RunQueue {
  /** Starts what can start now. Rounds go one after another. Never throws. */
  pump(): Promise<void>;
  /** Resolves when no round is under way. */
  idle(): Promise<void>;
}

/** The greatest priority first, then the oldest. */
export const inOrder = (runs: readonly StoredRun[]): readonly StoredRun[] =>
  runs
    .filter(({ state }) => state === "queued")
    .toSorted(
      (a, b) => b.priority - a.priority || a.createdAt.localeCompare(b.createdAt) || a.jobId.localeCompare(b.jobId),
    );

/**
 * Starts queued runs in their order as GPUs and places become free. A smaller run may pass one that waits for more GPUs than
 * are free; when that one has waited long enough, the others wait behind it.
 */
export function createRunQueue(deps: QueueDeps): RunQueue {
  const waitsSinceMs = new Map<string, number>();
  let turn: Promise<void> = Promise.resolve();

  const round = async () => {
    let patient: string | undefined;
    for (const run of inOrder(deps.active())) {
      const obstacle = patient === undefined || gpuCountOf(run) === 0 ? await tryStart(deps, run) : patient;
      if (obstacle === undefined) {
        waitsSinceMs.delete(run.jobId);
        continue;
      }
      deps.tellWait(run.jobId, obstacle);
      if (gpuCountOf(run) > 0 && patient === undefined && hasWaitedLong(run)) {
        patient = `Waits behind job ${run.jobId}, which has waited long for its GPUs.`;
      }
    }
  };
  const hasWaitedLong = ({ jobId, scheduler }: StoredRun): boolean => {
    const sinceMs = waitsSinceMs.get(jobId) ?? deps.monotonicMs();
    waitsSinceMs.set(jobId, sinceMs);
    return scheduler === "local" && deps.monotonicMs() - sinceMs >= deps.settings.patienceMs;
  };
  return {
    pump: () => {
      turn = turn.then(round).catch((error: unknown) => {
        deps.logger.error({ error }, "The queue of runs could not be worked on; it is tried again");
      });
      return turn;
    },
    idle: () => turn,
  };
}

/** @returns why it cannot start now; undefined when it was started. */
async function tryStart(deps: QueueDeps, run: StoredRun): Promise<string | undefined> {
  // It may have been stopped while others were started.
  const isQueued = () => deps.active().some(({ jobId, state }) => jobId === run.jobId && state === "queued");
  if (!isQueued()) return undefined;
  if (run.scheduler !== "local") {
    // A cluster that does not answer holds up nobody else.
    void deps.start(run.jobId, []).catch((error: unknown) => {
      deps.logger.error({ error, run: run.jobId }, "A run could not be given to its cluster");
    });
    return undefined;
  }
  if (gpuCountOf(run) === 0) {
    const isOnCpu = ({ state, scheduler, gpus }: StoredRun) =>
      state !== "queued" && scheduler === "local" && gpus.length === 0;
    const underWay = deps.active().filter(isOnCpu).length;
    if (underWay >= deps.settings.cpuRunsAtOnce) return `Waits until one of ${underWay} jobs on the CPU has ended.`;
  }
  const lease = await acquire(deps, run);
  if (typeof lease === "string") return lease;
  if (isQueued()) await deps.start(run.jobId, lease.gpus);
  else await deps.leases.release(holderOfRun(run.jobId));
  return undefined;
}

async function acquire({ leases }: QueueDeps, run: StoredRun): Promise<GpuLease | string> {
  try {
    return (await leases.acquire(holderOfRun(run.jobId), run.gpuRequest)) ?? "Waits for GPUs that are taken.";
  } catch (error) {
    return `Waits for GPUs: ${(error as Error).message}`;
  }
}
