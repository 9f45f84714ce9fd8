import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, inArray, sql } from "drizzle-orm";
import { createSweepRecord, type SweepStatus } from "../../infra/sweep-record.ts";
import { claimJob, type ClaimedJob, recoverItems } from "./claim-job.ts";
import type { Hold } from "./hold.ts";
import type { JobSchedule } from "./job-kind.ts";
import { endLease, renewLease, takeLease } from "./lease.ts";
import { settleJob } from "./repo.ts";
import { runJob, type RunDeps, type StopReason, WorkStopped } from "./run-job.ts";
import { runSchedules } from "./run-schedules.ts";
import { jobItems, jobs } from "./tables.ts";

export interface JobSettings {
  /** How long an executor counts as alive after it was last heard of. */
  readonly leaseMs: number;
  /** How often it looks for work. */
  readonly pollMs: number;
  /** Jobs that one process works on at once. */
  readonly jobsAtOnce: number;
}

export interface ExecutorDeps extends RunDeps {
  readonly schedules: readonly JobSchedule[];
  readonly settings: JobSettings;
}

export interface JobExecutor {
  /** Whether it looks for work as often as it should, for the check of the platform's health. */
  status(): SweepStatus;
  /** Begins nothing new, waits so long for items under way, and gives the rest to whoever comes next. Never throws. */
  stop(drainMs: number): Promise<void>;
}

interface Run {
  readonly hold: Hold;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

interface State {
  executorId: string | undefined;
  /** When it was last known to hold its lease, by the clock of the process. */
  heardMs: number;
  isStopping: boolean;
  schedulesDueMs: number;
  readonly runs: Map<string, Run>;
}

const scheduleEveryMs = 5000;
const unwindMs = 1000;

/** Works on jobs, beside any number of executors on the same database, until it is stopped. */
export function startExecutor(deps: ExecutorDeps): JobExecutor {
  const { settings, logger, database } = deps;
  const state: State = { executorId: undefined, heardMs: 0, isStopping: false, schedulesDueMs: 0, runs: new Map() };
  const warn = (text: string) => (error: unknown) => logger.warn({ error }, text);
  // A round that takes longer than the lease is late, whatever the time between two.
  const rounds = createSweepRecord("jobs", Math.max(settings.leaseMs, settings.pollMs));
  const look = () => rounds.run(() => tick(deps, state).then(() => true));
  const stopTick = repeat(settings.pollMs, () => look().catch(warn("looking for jobs failed")));
  const stopBeat = repeat(settings.leaseMs / 3, () => beat(deps, state).catch(warn("the lease could not be renewed")));
  return {
    status: () => rounds.status(),
    stop: async (drainMs) => {
      state.isStopping = true;
      await stopTick();
      await Promise.race([allDone(state), sleep(drainMs, undefined, { ref: false })]);
      breakOff(state, "stopping");
      await Promise.race([allDone(state), sleep(unwindMs, undefined, { ref: false })]);
      await stopBeat();
      await giveBack(deps, state).catch(warn("jobs are left to the end of the lease"));
      const { executorId } = state;
      if (executorId !== undefined) await endLease(database, executorId).catch(warn("the lease is left to its end"));
    },
  };
}

/** One round after the other, so long apart; the function that is given back ends it, and waits for the last one. */
function repeat(everyMs: number, round: () => Promise<void>): () => Promise<void> {
  const stop = new AbortController();
  const loop = (async () => {
    while (!stop.signal.aborted) {
      await round();
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stop.abort();
    await loop;
  };
}

async function tick(deps: ExecutorDeps, state: State): Promise<void> {
  const { database, settings, schedules, kinds, logger } = deps;
  if (state.executorId === undefined) {
    const askedMs = performance.now();
    state.executorId = await takeLease({ database, leaseMs: settings.leaseMs });
    state.heardMs = askedMs;
  }
  if (performance.now() >= state.schedulesDueMs) {
    state.schedulesDueMs = performance.now() + scheduleEveryMs;
    await runSchedules(database, schedules);
  }
  await heedChanges(deps, state);
  while (state.runs.size < settings.jobsAtOnce && !state.isStopping && state.executorId !== undefined) {
    const { executorId, runs } = state;
    const claimed = await claimJob({ database, kinds, logger, executorId, heldIds: [...runs.keys()] });
    if (claimed === undefined) return;
    if (claimed.job.endedAt === null) begin(deps, state, claimed);
  }
}

function begin(deps: ExecutorDeps, state: State, claimed: ClaimedJob): void {
  const controller = new AbortController();
  const run = { signal: controller.signal, isDraining: () => state.isStopping };
  const { hold } = claimed;
  const done = runJob(deps, claimed, run).finally(() => {
    if (state.runs.get(hold.jobId)?.hold === hold) state.runs.delete(hold.jobId);
  });
  state.runs.set(hold.jobId, { hold, controller, done });
}

/** Tells the work that was cancelled, or that somebody else has taken. */
async function heedChanges({ database }: ExecutorDeps, { runs }: State): Promise<void> {
  if (runs.size === 0) return;
  const rows = await database.queries
    .select()
    .from(jobs)
    .where(inArray(jobs.id, [...runs.keys()]));
  for (const { id, executorId, fence, cancelRequestedAt } of rows) {
    const run = runs.get(id);
    const isOurs = executorId === run?.hold.executorId && fence === run.hold.fence;
    if (!isOurs) abort(run, "lost");
    else if (cancelRequestedAt !== null) abort(run, "cancelled");
  }
}

/** Keeps the lease. Without it nothing can be written any more, so that the work is broken off and begun under another one. */
async function beat({ database, settings, logger }: ExecutorDeps, state: State): Promise<void> {
  const { executorId } = state;
  if (executorId === undefined) return;
  const askedMs = performance.now();
  const isKept = await renewLease({ database, leaseMs: settings.leaseMs }, executorId).catch((error: unknown) => {
    if (askedMs - state.heardMs < settings.leaseMs) throw error;
    return false;
  });
  if (isKept) {
    state.heardMs = askedMs;
    return;
  }
  logger.warn(
    { executorId, jobIds: [...state.runs.keys()] },
    "the lease has ended; jobs are begun anew where they stood",
  );
  breakOff(state, "lost");
  state.executorId = undefined;
}

function breakOff({ runs }: State, reason: StopReason): void {
  for (const run of runs.values()) abort(run, reason);
}

function abort(run: Run | undefined, reason: StopReason): void {
  if (run?.controller.signal.aborted === false) run.controller.abort(new WorkStopped(reason));
}

const allDone = ({ runs }: State): Promise<unknown> => Promise.all([...runs.values()].map(({ done }) => done));

/** Items whose work does not heed its signal: whoever comes next begins them anew, and what is done here is not written. */
async function giveBack({ database, kinds, logger }: ExecutorDeps, { executorId }: State): Promise<void> {
  if (executorId === undefined) return;
  await database.transaction(async (tx) => {
    // Work that does not end may hold a job; without its executor that goes to the next one all the same.
    await tx.execute(sql.raw(`set local lock_timeout = ${unwindMs}`));
    const left = await tx
      .update(jobs)
      .set({ executorId: null, fence: sql`${jobs.fence} + 1`, dueAt: sql`now()` })
      .where(eq(jobs.executorId, executorId))
      .returning({ id: jobs.id });
    for (const { id } of left) {
      await tx
        .update(jobItems)
        .set({ attempts: sql`${jobItems.attempts} - 1` })
        .where(and(eq(jobItems.jobId, id), eq(jobItems.state, "running")));
      await recoverItems(tx, id);
      await settleJob(tx, { kinds, logger }, id);
    }
  });
}
