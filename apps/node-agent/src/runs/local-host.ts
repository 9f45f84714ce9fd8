import { appendFile } from "node:fs/promises";
import { endGroup, listFamily, type ProcessFamily, sendSignal, signalFamily } from "../process/end-group.ts";
import { readExitRecord } from "../process/exit-record.ts";
import { isOfEarlierBoot, isRunning } from "../process/process-identity.ts";
import { spawnDetached } from "../process/spawn-detached.ts";
import type { RunHost } from "./run-host.ts";
import type { RunStore } from "./run-store.ts";
import type { StoredRun } from "./stored-run.ts";

/** Without its launcher a run is looked for among all processes, which costs more, so less often. */
const searchEveryMs = 1000;

/** Runs as detached processes of this machine. */
export function createLocalHost(store: RunStore): RunHost {
  const searchedAtMs = new Map<string, number>();
  return {
    start: async (run, command) => {
      const { folder } = store.paths(run.jobId);
      const leader = await spawnDetached({ ...command, folder, memoryLimitMb: run.memoryLimitMb ?? undefined });
      return leader === undefined ? { type: "noted", reason: null } : { type: "has_leader", leader };
    },
    look: async (run) => {
      if (run.leader !== null && isRunning(run.leader)) return { isGone: false };
      const lastMs = searchedAtMs.get(run.jobId) ?? Number.NEGATIVE_INFINITY;
      if (performance.now() - lastMs < searchEveryMs) return { isGone: false };
      searchedAtMs.set(run.jobId, performance.now());
      const isGone = listFamily(familyOf(run)).length === 0;
      if (isGone) searchedAtMs.delete(run.jobId);
      return { isGone };
    },
    ask: async (run) => {
      await askWorker(store, run);
      const { worker } = run.heard;
      if (worker !== null && isRunning(worker)) sendSignal(worker.pid, "SIGTERM");
      else if (worker === null) signalFamily(familyOf(run), "SIGTERM");
    },
    terminate: async (run) => signalFamily(familyOf(run), "SIGTERM"),
    kill: async (run) => {
      const left = await endGroup(familyOf(run), { graceMs: 0 });
      return left.length === 0 ? undefined : `The kernel does not let go of process ${left.join(", ")}.`;
    },
    ending: async ({ jobId, leader }) => ({
      exit: await readExitRecord(store.paths(jobId).exit),
      isRebooted: leader !== null && isOfEarlierBoot(leader),
      hostCause: null,
      isLost: false,
    }),
  };
}

const familyOf = ({ runId, leader }: StoredRun): ProcessFamily => ({ runId, leader: leader ?? undefined });

/** The line that workers look for; where it cannot be written the signal has to do. */
async function askWorker(store: RunStore, { jobId }: StoredRun): Promise<void> {
  const line = `${JSON.stringify({ cmd: "stop", save: true })}\n`;
  await appendFile(store.paths(jobId).control, line).catch(() => undefined);
}
