import { appendFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogBounder, type LogBounder } from "../process/bound-log.ts";
import { endGroup, listFamily, type ProcessFamily, sendSignal, signalFamily } from "../process/end-group.ts";
import { readExitRecord } from "../process/exit-record.ts";
import { createMemoryWatch, type MemoryWatch } from "../process/memory-watch.ts";
import { isOfEarlierBoot, isRunning } from "../process/process-identity.ts";
import { spawnDetached } from "../process/spawn-detached.ts";
import { excessCause, type MappedCause } from "./map-cause.ts";
import type { RunHost } from "./run-host.ts";
import type { RunSettings } from "./run-settings.ts";
import type { RunStore } from "./run-store.ts";
import type { StoredRun } from "./stored-run.ts";

/** Without its launcher a run is looked for among all processes, which costs more, so less often. */
const searchEveryMs = 1000;
/** How long other processes of a run may outlive its worker. */
const strayGraceMs = 5000;
/** How long the launcher has to write down how the worker was ended. */
const lastWordMs = 2000;

/** Runs as detached processes of this machine. */
export function createLocalHost(store: RunStore, { maxEventsBytes }: Pick<RunSettings, "maxEventsBytes">): RunHost {
  const isGone = createGoneRule(store);
  const bounds = createBounds(store);
  return {
    start: async (run, command) => {
      const { folder } = store.paths(run.jobId);
      const memoryLimitMb = run.memoryLimitMb ?? undefined;
      const leader = await spawnDetached({ ...command, memoryLimitMb, maxEventsBytes, folder });
      return leader === undefined ? { type: "noted", reason: null } : { type: "has_leader", leader };
    },
    look: async (run) => {
      // The launcher keeps a run within its bounds; without it somebody else has to.
      const cause = run.leader === null || !isRunning(run.leader) ? await bounds.keep(run) : undefined;
      return cause === undefined ? { isGone: await isGone(run) } : { isGone: false, cause };
    },
    ask: async (run) => {
      await askWorker(store, run);
      const { worker } = run.heard;
      if (worker !== null && isRunning(worker)) sendSignal(worker.pid, "SIGTERM");
      else if (worker === null) signalFamily(familyOf(run), "SIGTERM");
    },
    terminate: async (run) => signalFamily(familyOf(run), "SIGTERM"),
    kill: async (run) => {
      await killAllButLeader(run);
      const left = await endGroup(familyOf(run), { graceMs: 0 });
      return left.length === 0 ? undefined : `The kernel does not let go of process ${left.join(", ")}.`;
    },
    ending: async ({ jobId, leader }) => {
      bounds.forget(jobId);
      const exit = await readExitRecord(store.paths(jobId).exit);
      return { exit, isRebooted: leader !== null && isOfEarlierBoot(leader), hostCause: null, isLost: false };
    },
  };
}

interface Bounds {
  readonly log: LogBounder;
  readonly memory: MemoryWatch | undefined;
}

/** What keeps runs within their bounds that have no launcher any more. */
function createBounds(store: RunStore) {
  const known = new Map<string, Bounds>();
  const boundsOf = (run: StoredRun): Bounds => {
    const limitBytes = (run.memoryLimitMb ?? 0) * 2 ** 20;
    const listMembers = () => listFamily(familyOf(run));
    const memory = limitBytes === 0 ? undefined : createMemoryWatch({ limitBytes, listMembers });
    return { log: createLogBounder(store.paths(run.jobId).log), memory };
  };
  return {
    /** @returns why the run was ended. */
    keep: async (run: StoredRun): Promise<MappedCause | undefined> => {
      const { log, memory } = known.get(run.jobId) ?? boundsOf(run);
      known.set(run.jobId, { log, memory });
      await log.check();
      const excess = memory?.check();
      if (excess === undefined) return undefined;
      signalFamily(familyOf(run), "SIGKILL");
      return excessCause(excess);
    },
    forget: (jobId: string) => known.delete(jobId),
  };
}

/**
 * A run is gone when its launcher is and wrote down how the worker ended, or when nothing of it lives. Without the launcher,
 * what only outlives the worker is not the run.
 */
function createGoneRule(store: RunStore): (run: StoredRun) => Promise<boolean> {
  const searchedAtMs = new Map<string, number>();
  const workerGoneMs = new Map<string, number>();
  const isLeft = (run: StoredRun): boolean => {
    const nowMs = performance.now();
    if (nowMs - (searchedAtMs.get(run.jobId) ?? Number.NEGATIVE_INFINITY) < searchEveryMs) return false;
    searchedAtMs.set(run.jobId, nowMs);
    if (listFamily(familyOf(run)).length === 0) return true;
    const { worker } = run.heard;
    if (worker === null || isRunning(worker)) return false;
    const sinceMs = workerGoneMs.get(run.jobId) ?? nowMs;
    workerGoneMs.set(run.jobId, sinceMs);
    return nowMs - sinceMs >= strayGraceMs;
  };
  return async (run) => {
    if (run.leader !== null && isRunning(run.leader)) return false;
    if ((await readExitRecord(store.paths(run.jobId).exit)) === undefined && !isLeft(run)) return false;
    searchedAtMs.delete(run.jobId);
    workerGoneMs.delete(run.jobId);
    return true;
  };
}

/** The launcher writes down how its worker ended, and ends by itself. */
async function killAllButLeader(run: StoredRun): Promise<void> {
  const { leader } = run;
  if (leader === null || !isRunning(leader)) return;
  for (const pid of listFamily(familyOf(run))) if (pid !== leader.pid) sendSignal(pid, "SIGKILL");
  const endMs = performance.now() + lastWordMs;
  while (isRunning(leader) && performance.now() < endMs) await sleep(20);
}

const familyOf = ({ runId, leader }: StoredRun): ProcessFamily => ({ runId, leader: leader ?? undefined });

/** The line that workers look for; where it cannot be written the signal has to do. */
async function askWorker(store: RunStore, { jobId }: StoredRun): Promise<void> {
  const line = `${JSON.stringify({ cmd: "stop", save: true })}\n`;
  await appendFile(store.paths(jobId).control, line).catch(() => undefined);
}
