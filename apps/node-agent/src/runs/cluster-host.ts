import { constants } from "node:os";
import type { ClusterStatus, Scheduler } from "../schedulers/scheduler.ts";
import { askWorker } from "./local-host.ts";
import type { RunHost } from "./run-host.ts";
import type { RunStore } from "./run-store.ts";
import type { StoredRun } from "./stored-run.ts";

const askEveryMs = 2000;

interface Answer {
  readonly status: ClusterStatus;
  readonly askedAtMs: number;
}

/** Runs on machines of a cluster, on a folder that all of them see; the cluster says where a run stands when it cannot itself. */
export function createClusterHost(scheduler: Scheduler, store: RunStore): RunHost {
  const answers = new Map<string, Answer>();
  const ask = async ({ jobId, reference }: StoredRun): Promise<ClusterStatus> => {
    const known = answers.get(jobId);
    if (known !== undefined && (hasEnded(known.status) || performance.now() - known.askedAtMs < askEveryMs)) {
      return known.status;
    }
    const status = reference === null ? neverSubmitted : await scheduler.status(reference);
    answers.set(jobId, { status, askedAtMs: performance.now() });
    return status;
  };
  const stop = async ({ reference }: StoredRun): Promise<void> => {
    if (reference !== null) await scheduler.stop(reference);
  };
  return {
    start: async (run, command) => ({
      type: "has_reference",
      reference: await scheduler.submit({
        id: run.runId,
        command,
        runFolder: store.paths(run.jobId).folder,
        gpus: gpuCountOf(run),
        cpus: Math.max(1, gpuCountOf(run)) * cpusOfDevice,
        memoryMb: run.memoryLimitMb ?? undefined,
        graceSeconds: run.graceSeconds,
      }),
    }),
    look: async (run) => {
      try {
        const status = await ask(run);
        return { isGone: hasEnded(status), note: status.reason };
      } catch (error) {
        return { isGone: false, note: `The cluster does not answer: ${(error as Error).message}` };
      }
    },
    ask: async (run) => {
      await askWorker(store, run);
      if (run.heard.worker === null && run.state !== "running" && run.heard.phase === null) await stop(run);
    },
    terminate: stop,
    kill: async (run) => {
      await stop(run);
      answers.delete(run.jobId);
      return hasEnded(await ask(run)) ? undefined : "The cluster has not ended it yet.";
    },
    ending: async (run) => {
      const { state, reason, exitCode, signal } = await ask(run);
      answers.delete(run.jobId);
      const lostReason = state === "lost" ? (reason ?? "The cluster knows nothing of it any more.") : null;
      const isKnown = state !== "lost" && (exitCode !== null || signal !== null);
      const exit = { code: exitCode, signal: nameOf(signal), ended_at: new Date().toISOString() };
      return {
        exit: isKnown ? { ...exit, spawn_error: null, oom_kill: isOutOfMemory(reason) } : undefined,
        isRebooted: false,
        lostReason,
      };
    },
  };
}

/** CPUs that go with one device. */
const cpusOfDevice = 4;

const neverSubmitted: ClusterStatus = {
  state: "lost",
  reason: "The agent ended while it gave the run to the cluster.",
  nodes: [],
  gpus: [],
  exitCode: null,
  signal: null,
};

/** How many devices a run asks for. */
export function gpuCountOf({ gpuRequest }: Pick<StoredRun, "gpuRequest">): number {
  if (gpuRequest.mode === "cpu") return 0;
  return gpuRequest.mode === "count" ? gpuRequest.count : gpuRequest.indices.length;
}

const hasEnded = ({ state }: ClusterStatus): boolean =>
  state === "succeeded" || state === "failed" || state === "stopped" || state === "lost";

const isOutOfMemory = (reason: string | null): boolean => /out.?of.?memory|\bOOM\b/i.test(reason ?? "");

const nameOf = (signal: number | null): string | null =>
  signal === null
    ? null
    : (Object.entries(constants.signals).find(([, value]) => value === signal)?.[0] ?? `${signal}`);
