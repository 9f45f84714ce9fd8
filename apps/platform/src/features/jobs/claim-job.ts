import { and, asc, eq, exists, inArray, isNull, lte, notExists, notInArray, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../infra/db/create-database.ts";
import { platformReasons } from "@attune/contracts/errors/platform-reasons.ts";
import type { Hold } from "./hold.ts";
import type { JobKind, JobRow } from "./job-kind.ts";
import { type SettleDeps, settleJob } from "./repo.ts";
import { jobExecutors, jobItems, jobs } from "./tables.ts";

export interface Claimer extends SettleDeps {
  readonly database: Database;
  readonly executorId: string;
  /** Jobs that this process works on. */
  readonly heldIds: readonly string[];
}

export interface ClaimedJob {
  readonly job: JobRow;
  readonly hold: Hold;
}

/** Processes that may end while they work on an item before it is given up: it may be what ends them. */
const maxInterruptions = 10;

/**
 * Takes the job that has waited longest: one that nobody has, or whose executor is dead or has forgotten it. What was under
 * way there is queued again. Undefined when there is none.
 */
export async function claimJob(claimer: Claimer): Promise<ClaimedJob | undefined> {
  const { database, kinds, executorId } = claimer;
  return database.transaction(async (tx) => {
    const [found] = await tx
      .select({ id: jobs.id })
      .from(jobs)
      .where(
        and(isNull(jobs.endedAt), lte(jobs.dueAt, sql`now()`), inArray(jobs.kind, namesOf(kinds)), isFree(claimer)),
      )
      .orderBy(asc(jobs.dueAt))
      .limit(1)
      .for("no key update", { skipLocked: true });
    if (found === undefined) return undefined;
    const jobId = found.id;
    await tx
      .update(jobs)
      .set({ executorId, fence: sql`${jobs.fence} + 1` })
      .where(eq(jobs.id, jobId));
    await recoverItems(tx, jobId);
    const job = await settleJob(tx, claimer, jobId);
    return { job, hold: { jobId, executorId, fence: job.fence } };
  });
}

const namesOf = (kinds: readonly JobKind[]): string[] => kinds.map(({ name }) => name);

function isFree({ database, executorId, heldIds }: Claimer) {
  const living = (id: typeof jobs.executorId | string) =>
    database.queries
      .select({ id: jobExecutors.id })
      .from(jobExecutors)
      .where(and(eq(jobExecutors.id, id), sql`${jobExecutors.leasedUntil} > now()`));
  const isForgotten = and(eq(jobs.executorId, executorId), notInArray(jobs.id, [...heldIds]));
  // Whoever was away for so long that its own lease has ended takes a new one first.
  return and(exists(living(executorId)), or(isNull(jobs.executorId), notExists(living(jobs.executorId)), isForgotten));
}

/** Queues what was under way, or ends it where that was wanted. The job must be locked. */
export async function recoverItems(tx: Transaction, jobId: string): Promise<void> {
  const reason = "JOB_ITEM_INTERRUPTED";
  const isHopeless = sql`${jobItems.attempts} >= ${maxInterruptions}`;
  const [job] = await tx.select({ at: jobs.cancelRequestedAt }).from(jobs).where(eq(jobs.id, jobId));
  const running = and(eq(jobItems.jobId, jobId), eq(jobItems.state, "running"));
  if (job?.at) {
    await tx
      .update(jobItems)
      .set({ state: "cancelled", endedAt: sql`now()` })
      .where(running);
    return;
  }
  const { remedy } = platformReasons[reason];
  const detail = `It was begun ${maxInterruptions} times.`;
  await tx
    .update(jobItems)
    .set({ state: "failed", reason, detail, remedy, endedAt: sql`now()` })
    .where(and(running, isHopeless));
  await tx
    .update(jobItems)
    .set({ state: "queued", dueAt: sql`now()` })
    .where(running);
}
