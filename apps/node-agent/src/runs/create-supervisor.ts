import { isEnded, type StopRequest } from "@attune/contracts/compute/run-record.ts";
import { createAbsentHost } from "./absent-host.ts";
import { createClusterHost } from "./cluster-host.ts";
import { createFollower } from "./create-follower.ts";
import type { RunsDeps } from "./create-runs.ts";
import { createLocalHost } from "./local-host.ts";
import { nextRun, type RunFact } from "./next-run.ts";
import type { RunHost } from "./run-host.ts";
import { createRunKeeper } from "./run-keeper.ts";
import { createRunQueue } from "./run-queue.ts";
import type { RunSettings } from "./run-settings.ts";
import { holderOfRun } from "./run-store.ts";
import { startRun } from "./start-run.ts";
import type { StoredRun } from "./stored-run.ts";
import type { ViewFacts } from "./to-job-view.ts";

export interface SupervisorDeps extends RunsDeps {
  readonly settings: RunSettings;
  readonly monotonicMs: () => number;
}

/** Starts runs, follows them, ends them, and gives back what they had. */
export interface Supervisor {
  /** Works on the queue; returns at once. */
  pump(): void;
  /** Takes up a run that has processes. */
  follow(jobId: string): void;
  apply(jobId: string, fact: RunFact): void;
  stop(jobId: string, request: StopRequest): Promise<void>;
  factsOf(run: StoredRun): ViewFacts;
  close(): Promise<void>;
}

const pumpEveryMs = 1000;

export function createSupervisor(deps: SupervisorDeps): Supervisor {
  const { store, leases } = deps;
  const closing = new AbortController();
  const keeper = createRunKeeper(deps);
  const hostOf = createHosts(deps);
  const { find, read, apply } = createAccess(deps, keeper.put);
  const follower = createFollower({ ...deps, keeper, hostOf, read, apply, onEnd: () => pump() }, closing.signal);
  const queue = createRunQueue({
    ...deps,
    active: () => store.active(),
    start: async (jobId, gpus) => {
      await startRun({ ...deps, host: hostOf(read(jobId)), keeper, apply }, read(jobId), gpus);
      const { state } = read(jobId);
      if (!closing.signal.aborted && state !== "queued" && !isEnded(state)) follower.follow(jobId);
    },
    tellWait: (jobId, reason) => apply(jobId, { type: "waits", reason }),
  });
  const pump = (): void => {
    if (!closing.signal.aborted) void queue.pump();
  };
  const tick = () => void (pump(), keeper.saveEnded());
  const timer = setInterval(tick, pumpEveryMs).unref();
  const stopListening = leases.onRelease(pump);

  return {
    pump,
    follow: (jobId) => follower.follow(jobId),
    apply,
    stop: async (jobId, { grace_seconds: graceSeconds }) => {
      const wasQueued = find(jobId)?.state === "queued";
      apply(jobId, { type: "stop_asked", at: new Date().toISOString(), graceSeconds });
      // It may have ended meanwhile, which its record tells.
      const now = find(jobId);
      await keeper.save(jobId);
      if (now === undefined || isEnded(now.state)) await leases.release(holderOfRun(jobId));
      // Its cluster may have it, though the answer to its submission was lost.
      if (wasQueued && now?.state === "stopping") follower.follow(jobId);
      follower.stop(jobId);
    },
    factsOf: ({ jobId, state }) => ({
      isStale: !isEnded(state) && (follower.watchOf(jobId)?.isStale() ?? false),
      saveFault: keeper.faultOf(jobId),
    }),
    close: async () => {
      closing.abort(new Error("the agent ends"));
      clearInterval(timer);
      stopListening();
      await queue.idle();
      await follower.idle();
      await keeper.saveAll();
    },
  };
}

/** Reads and changes runs that have not ended. */
function createAccess({ store }: SupervisorDeps, put: (before: StoredRun, now: StoredRun) => void) {
  const find = (jobId: string) => store.active().find((run) => run.jobId === jobId);
  return {
    find,
    read: (jobId: string): StoredRun => {
      const run = find(jobId);
      if (run === undefined) throw new Error(`run ${jobId} is not under way`);
      return run;
    },
    apply: (jobId: string, fact: RunFact): void => {
      const run = find(jobId);
      if (run !== undefined) put(run, nextRun(run, fact));
    },
  };
}

/** One host for this machine and one for each cluster. */
function createHosts(deps: SupervisorDeps): (run: StoredRun) => RunHost {
  const hosts = new Map<string, RunHost>([["local", createLocalHost(deps.store, deps.settings)]]);
  return ({ scheduler }) => {
    const found = deps.schedulers.find(({ name }) => name === scheduler);
    const made = () =>
      found === undefined ? createAbsentHost(scheduler) : createClusterHost({ ...deps, scheduler: found });
    const host = hosts.get(scheduler) ?? made();
    hosts.set(scheduler, host);
    return host;
  };
}
