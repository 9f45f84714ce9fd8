import { isEnded } from "@attune/contracts/compute/run-record.ts";
import { createEventBounder, isBeyondHelp } from "../process/bound-events.ts";
import { isRunning } from "../process/process-identity.ts";
import type { SupervisorDeps } from "./create-supervisor.ts";
import { createGpuCare } from "./look-after-gpus.ts";
import { floodMessage, type MappedCause } from "./map-cause.ts";
import type { RunFact } from "./next-run.ts";
import type { RunHost } from "./run-host.ts";
import type { RunKeeper } from "./run-keeper.ts";
import { holderOfRun } from "./run-store.ts";
import { settleRun } from "./settle-run.ts";
import type { StoredRun } from "./stored-run.ts";
import { type RunWatch, watchRun } from "./watch-run.ts";

export interface FollowerDeps extends SupervisorDeps {
  readonly keeper: RunKeeper;
  readonly hostOf: (run: StoredRun) => RunHost;
  /** @throws Error when the run has ended. */
  readonly read: (jobId: string) => StoredRun;
  readonly apply: (jobId: string, fact: RunFact) => void;
  readonly onEnd: () => void;
}

/** Follows the runs that have processes, each from where it stands to its end. */
export interface Follower {
  follow(jobId: string): void;
  watchOf(jobId: string): RunWatch | undefined;
  /** Goes on with a run that was asked to stop. */
  stop(jobId: string): void;
  /** Resolves when nothing is followed any more. */
  idle(): Promise<void>;
}

/** An aborted signal lets go of all runs. */
export function createFollower(deps: FollowerDeps, signal: AbortSignal): Follower {
  const watches = new Map<string, RunWatch>();
  const stops = new Map<string, AbortController>();
  return {
    follow: (jobId) => {
      const run = deps.read(jobId);
      const host = deps.hostOf(run);
      const careForGpus = createGpuCare(deps);
      const stopping = new AbortController();
      if (run.isStopAsked) stopping.abort();
      const watch = watchRun(
        {
          ...deps,
          host,
          paths: deps.store.paths(jobId),
          boundEvents: createEventRule(deps, jobId),
          read: () => deps.read(jobId),
          apply: (fact) => deps.apply(jobId, fact),
          keep: () => deps.keeper.keep(jobId),
          settle: () => settle(deps, { jobId, host, stopping: stopping.signal }, signal),
          lookAfterGpus: () => careForGpus(deps.read(jobId)),
        },
        signal,
      );
      watches.set(jobId, watch);
      stops.set(jobId, stopping);
      void watch.done.then(() => {
        watches.delete(jobId);
        stops.delete(jobId);
        deps.onEnd();
      });
    },
    watchOf: (jobId) => watches.get(jobId),
    stop: (jobId) => {
      stops.get(jobId)?.abort();
      watches.get(jobId)?.wake();
    },
    idle: async () => {
      await Promise.all([...watches.values()].map(({ done }) => done));
    },
  };
}

/** The launcher of a run keeps its events within their bound; on a cluster, or when it is gone, somebody else has to. */
function createEventRule({ store, settings, read }: FollowerDeps, jobId: string) {
  const paths = store.paths(jobId);
  const bounder = createEventBounder(paths, settings.maxEventsBytes);
  return async (): Promise<MappedCause | undefined> => {
    const { leader } = read(jobId);
    if (leader === null || !isRunning(leader)) await bounder.check();
    const isFlood = isBeyondHelp(paths, settings.maxEventsBytes);
    return isFlood ? { cause: "too_many_events", message: floodMessage } : undefined;
  };
}

/** Ends a run whose processes are gone, keeps what is known of it, and gives its GPUs back. @returns whether it has ended. */
async function settle(
  { store, keeper, leases, logger, finish, read, apply }: FollowerDeps,
  { jobId, host, stopping }: { readonly jobId: string; readonly host: RunHost; readonly stopping: AbortSignal },
  signal: AbortSignal,
): Promise<boolean> {
  const paths = store.paths(jobId);
  const fact = await settleRun(read(jobId), { host, paths, finish, logger, signal, stopping });
  if (fact.type === "gone") {
    // Before the end is told, so that who hears of it finds the GPUs free.
    await leases.release(holderOfRun(jobId)).catch((error: unknown) => {
      logger.error({ error, run: jobId }, "The GPUs of a run could not be given back; they are when their lease ends");
    });
  }
  apply(jobId, fact);
  if (!isEnded(read(jobId).state)) return false;
  await keeper.save(jobId);
  return true;
}
