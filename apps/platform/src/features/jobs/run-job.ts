import type { Logger } from "@attune/service-kit/create-logger.ts";
import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import type { Database } from "../../infra/db/create-database.ts";
import type { ClaimedJob } from "./claim-job.ts";
import { type Hold, LeaseLost, requireHold } from "./hold.ts";
import type { ItemRow } from "./items.ts";
import type { JobKind } from "./job-kind.ts";
import { runItem } from "./run-item.ts";
import { jobItems, jobs } from "./tables.ts";

export interface RunDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly kinds: readonly JobKind[];
}

/** Why the work on a job is broken off. */
export type StopReason =
  /** Somebody cancelled the job. */
  | "cancelled"
  /** This process stops; another one goes on. */
  | "stopping"
  /** Another executor has the job. */
  | "lost";

/** What the signal of the work is aborted with. */
export class WorkStopped extends Error {
  override readonly name = "WorkStopped";
  readonly why: StopReason;
  constructor(why: StopReason) {
    super(`The work is broken off: ${why}.`);
    this.why = why;
  }
}

export interface JobRun {
  /** Aborted with a `WorkStopped`. */
  readonly signal: AbortSignal;
  /** Whether no further item is to be begun. */
  readonly isDraining: () => boolean;
}

/** Works on a job's items until none is due, and gives the job back. Never throws; what it could not write is done again. */
export async function runJob(deps: RunDeps, claimed: ClaimedJob, run: JobRun): Promise<void> {
  const { job, hold } = claimed;
  const kind = deps.kinds.find(({ name }) => name === job.kind);
  if (kind === undefined) throw new Error(`There is no kind ${job.kind}.`);
  const work = async (): Promise<void> => {
    while (!run.signal.aborted && !run.isDraining()) {
      const item = await takeItem(deps.database, hold);
      if (item === undefined) return;
      await runItem({ ...deps, kind, claimed, item }, run.signal);
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: kind.itemsAtOnce ?? 1 }, work));
  const released = await Promise.allSettled([releaseJob(deps.database, hold)]);
  for (const result of [...workers, ...released]) {
    if (result.status === "rejected" && !(result.reason instanceof LeaseLost)) {
      deps.logger.warn(
        { error: result.reason, jobId: job.id },
        "a job was left in the middle and will be taken up again",
      );
    }
  }
}

async function takeItem(database: Database, hold: Hold): Promise<ItemRow | undefined> {
  return database.transaction(async (tx) => {
    await requireHold(tx, hold);
    const next = tx
      .select({ id: jobItems.id })
      .from(jobItems)
      .where(and(eq(jobItems.jobId, hold.jobId), eq(jobItems.state, "queued"), lte(jobItems.dueAt, sql`now()`)))
      .orderBy(asc(jobItems.itemNo))
      .limit(1);
    const [item] = await tx
      .update(jobItems)
      .set({ state: "running", attempts: sql`${jobItems.attempts} + 1`, startedAt: sql`now()` })
      .where(inArray(jobItems.id, next))
      .returning();
    return item;
  });
}

/** Whoever is free takes it up again when its next item is due. */
async function releaseJob(database: Database, hold: Hold): Promise<void> {
  await database.transaction(async (tx) => {
    const [job] = await tx
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(eq(jobs.id, hold.jobId), eq(jobs.executorId, hold.executorId), eq(jobs.fence, hold.fence)))
      .for("no key update");
    // Its end has released it, or somebody else has it.
    if (job === undefined) return;
    const nextDue = sql`(select min(${jobItems.dueAt}) from ${jobItems}
      where ${jobItems.jobId} = ${hold.jobId} and ${jobItems.state} = 'queued')`;
    await tx
      .update(jobs)
      .set({ executorId: null, dueAt: sql`greatest(coalesce(${nextDue}, now()), now())` })
      .where(eq(jobs.id, hold.jobId));
  });
}
