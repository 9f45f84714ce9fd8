import { constants } from "node:os";
import { exitRecord, readExitRecord } from "../process/exit-record.ts";
import type { ClusterStatus, PlacedJob, Scheduler } from "../schedulers/scheduler.ts";
import { askToStop } from "../schedulers/stop-request.ts";
import type { HostEnding, RunHost, RunLook } from "./run-host.ts";
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
  const search = createSearch(scheduler, store);
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
      if (run.reference === null) return await search(run);
      const { state, reason } = await statusOf.ask(placed(run));
      return { isGone: finalStates.has(state), note: reason };
    },
    ask: (run) => (run.reference === null ? askToStop(store.paths(run.jobId).folder) : scheduler.stop(placed(run))),
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

/**
 * Looks for the job of a run that is to end and whose reference is not known: the answer to its submission may have been lost, or
 * it was this agent's last act. A job that the cluster takes only after that sees the request to stop, and does nothing.
 */
function createSearch(scheduler: Scheduler, store: RunStore) {
  const askedAtMs = new Map<string, number>();
  return async ({ jobId, runId, abort }: StoredRun): Promise<RunLook> => {
    // It was refused, so that there is none.
    if (abort !== null) return { isGone: true };
    if (performance.now() - (askedAtMs.get(jobId) ?? Number.NEGATIVE_INFINITY) < askEveryMs) return { isGone: false };
    askedAtMs.set(jobId, performance.now());
    try {
      await askToStop(store.paths(jobId).folder);
      const reference = await scheduler.find(runId);
      if (reference !== undefined) return { isGone: false, reference };
      askedAtMs.delete(jobId);
      return { isGone: true };
    } catch (error) {
      return { isGone: false, note: `Whether the cluster has it is not known. ${(error as Error).message}` };
    }
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
