import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { endGroup, listFamily } from "../process/end-group.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import { sweepOrphans } from "../process/sweep-orphans.ts";
import type { RunsDeps } from "./create-runs.ts";
import type { Supervisor } from "./create-supervisor.ts";
import type { StoredRun } from "./stored-run.ts";

/**
 * Takes up the runs of an earlier agent: those with processes are followed on, those that were about to start are started,
 * and processes that no run has a right to are ended.
 */
export async function recoverRuns({ store, logger }: RunsDeps, supervisor: Supervisor): Promise<void> {
  const known = new Set(store.active().map(({ runId }) => runId));
  const swept = await sweepOrphans({ root: store.root, isKnown: (runId) => known.has(runId) });
  if (swept.length > 0) logger.warn({ runs: swept }, "Processes of runs that nothing is known of were ended");
  for (const run of store.active()) {
    if (run.state === "queued") continue;
    if (run.state === "starting" || (run.leader === null && run.scheduler === "local")) await findStart(run);
    const now = store.active().find(({ jobId }) => jobId === run.jobId);
    if (now !== undefined && now.state !== "queued") supervisor.follow(run.jobId);
  }
  supervisor.pump();

  async function findStart(run: StoredRun): Promise<void> {
    if (run.leader !== null || run.reference !== null) return;
    const leader = run.scheduler === "local" ? await findLeader(run) : undefined;
    supervisor.apply(run.jobId, leader === undefined ? { type: "not_started" } : { type: "has_leader", leader });
  }

  /** The launcher writes who it is before it starts anything; one that has not yet may be about to. */
  async function findLeader(run: StoredRun): Promise<ProcessIdentity | undefined> {
    const { launcher } = store.paths(run.jobId);
    const family = { runId: run.runId, leader: undefined };
    const endMs = performance.now() + launcherPatienceMs;
    for (;;) {
      const isLive = listFamily(family).length > 0;
      const leader = await readLauncher(launcher);
      if (leader !== undefined || !isLive) return leader;
      if (performance.now() > endMs) await endGroup(family, { graceMs: 0 });
      else await sleep(50);
    }
  }
}

const launcherPatienceMs = 10_000;

async function readLauncher(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
