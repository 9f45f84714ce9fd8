import { isEnded } from "@attune/contracts/compute/run-record.ts";
import type { SupervisorDeps } from "./create-supervisor.ts";
import { createGpuCare } from "./look-after-gpus.ts";
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
  /** Resolves when nothing is followed any more. */
  idle(): Promise<void>;
}

/** An aborted signal lets go of all runs. */
export function createFollower(deps: FollowerDeps, signal: AbortSignal): Follower {
  const watches = new Map<string, RunWatch>();
  return {
    follow: (jobId) => {
      const run = deps.read(jobId);
      const host = deps.hostOf(run);
      const careForGpus = createGpuCare(deps);
      const watch = watchRun(
        {
          ...deps,
          host,
          eventsPath: deps.store.paths(jobId).events,
          read: () => deps.read(jobId),
          apply: (fact) => deps.apply(jobId, fact),
          keep: () => deps.keeper.keep(jobId),
          settle: () => settle(deps, { jobId, host }, signal),
          lookAfterGpus: () => careForGpus(deps.read(jobId)),
        },
        signal,
      );
      watches.set(jobId, watch);
      void watch.done.then(() => {
        watches.delete(jobId);
        deps.onEnd();
      });
    },
    watchOf: (jobId) => watches.get(jobId),
    idle: async () => {
      await Promise.all([...watches.values()].map(({ done }) => done));
    },
  };
}

/** Ends a run whose processes are gone, keeps what is known of it, and gives its GPUs back. @returns whether it has ended. */
async function settle(
  { store, keeper, leases, logger, finish, read, apply }: FollowerDeps,
  { jobId, host }: { readonly jobId: string; readonly host: RunHost },
  signal: AbortSignal,
): Promise<boolean> {
  const paths = store.paths(jobId);
  const fact = await settleRun(read(jobId), { host, paths, finish, logger, signal });
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
