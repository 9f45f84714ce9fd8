import { constants } from "node:os";
import { exitRecord, readExitRecord } from "../process/exit-record.ts";
import type { ClusterStatus, PlacedJob, Scheduler } from "../schedulers/scheduler.ts";
import type { HostEnding, RunHost } from "./run-host.ts";
import type { RunPaths } from "./run-paths.ts";
import type { RunSettings } from "./run-settings.ts";
import type { RunStore } from "./run-store.ts";
import type { StoredRun } from "./stored-run.ts";

const askEveryMs = 2000;

export interface ClusterHostDeps {
  readonly scheduler: Scheduler;
  readonly store: RunStore;
  readonly settings: Pick<RunSettings, "clusterCpus" | "clusterMemoryMb">;
}

/** Runs on machines of a cluster, on a folder that all of them see; the cluster says where a run stands when it cannot itself. */
export function createClusterHost({ scheduler, store, settings }: ClusterHostDeps): RunHost {
  const statusOf = createStatusCache(scheduler);
  const placed = ({ jobId, reference }: StoredRun): PlacedJob => {
    if (reference === null) throw new Error("the cluster was never given this run");
    return { reference, runFolder: store.paths(jobId).folder };
  };
  return {
    start: async (run, command) => {
      const reference = await scheduler.submit({
        id: run.runId,
        command,
        runFolder: store.paths(run.jobId).folder,
        gpus: gpuCountOf(run),
        cpus: Math.max(1, gpuCountOf(run)) * settings.clusterCpus,
        memoryMb: run.memoryLimitMb ?? settings.clusterMemoryMb,
        graceSeconds: run.graceSeconds,
      });
      return { type: "has_reference", reference };
    },
    look: async (run) => {
      if (run.reference === null) return { isGone: true };
      const { state, reason } = await statusOf.ask(placed(run));
      return { isGone: finalStates.has(state), note: reason };
    },
    ask: (run) => scheduler.stop(placed(run)),
    // The job itself ends its processes when the grace time is over.
    terminate: () => Promise.resolve(),
    kill: async (run) => {
      if (run.reference === null) return undefined;
      const job = placed(run);
      const known = (await statusOf.ask(job)).state;
      // What is lost may stand in the cluster's queue again.
      if (!finalStates.has(known) || known === "lost") await scheduler.end(job);
      const { state } = await statusOf.askAnew(job);
      return finalStates.has(state) ? undefined : "The cluster has not ended it yet.";
    },
    ending: async (run) => {
      if (run.reference === null) return { exit: undefined, isRebooted: false, hostCause: null, isLost: false };
      const status = await statusOf.ask(placed(run));
      statusOf.forget(placed(run));
      return toEnding(status, store.paths(run.jobId));
    },
  };
}

/** What the cluster said within the last two seconds, or says now. */
function createStatusCache(scheduler: Scheduler) {
  const answers = new Map<string, { readonly status: ClusterStatus; readonly askedAtMs: number }>();
  const askAnew = async (job: PlacedJob): Promise<ClusterStatus> => {
    const status = await scheduler.status(job);
    answers.set(job.reference, { status, askedAtMs: performance.now() });
    return status;
  };
  return {
    askAnew,
    ask: (job: PlacedJob): Promise<ClusterStatus> => {
      const known = answers.get(job.reference);
      const isFresh = known !== undefined && performance.now() - known.askedAtMs < askEveryMs;
      return isFresh ? Promise.resolve(known.status) : askAnew(job);
    },
    forget: ({ reference }: PlacedJob) => answers.delete(reference),
  };
}

/** How many devices a run asks for. */
export function gpuCountOf({ gpuRequest }: Pick<StoredRun, "gpuRequest">): number {
  if (gpuRequest.mode === "cpu") return 0;
  return gpuRequest.mode === "count" ? gpuRequest.count : gpuRequest.indices.length;
}

const finalStates: ReadonlySet<string> = new Set<ClusterStatus["state"]>(["succeeded", "failed", "stopped", "lost"]);

async function toEnding(status: ClusterStatus, { exit: exitPath }: RunPaths): Promise<HostEnding> {
  const { state, reason, cause, exitCode, signal } = status;
  const written = await readExitRecord(exitPath);
  const isLost = state === "lost" && written === undefined;
  const isTold = exitCode !== null || signal !== null;
  const told = { code: exitCode, signal: signalName(signal), ended_at: new Date().toISOString() };
  const exit = written ?? (isTold ? exitRecord.parse(told) : undefined);
  const hostCause = cause ?? (isLost ? "node_lost" : null);
  const message = reason ?? "The cluster says nothing more of it.";
  return { exit, isRebooted: false, isLost, hostCause: hostCause === null ? null : { cause: hostCause, message } };
}

const signalName = (signal: number | null): string | null =>
  signal === null
    ? null
    : (Object.entries(constants.signals).find(([, value]) => value === signal)?.[0] ?? `${signal}`);
