import { AppError } from "@attune/service-kit/app-error.ts";
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "../../infra/db/create-database.ts";
import { isUniqueViolation } from "../../infra/db/database-error.ts";
import { noError } from "./items.ts";
import type { JobRow } from "./job-kind.ts";
import { getJobRow, lockJobRow, type SettleDeps, settleJob } from "./repo.ts";
import { jobItems, jobs } from "./tables.ts";
import { tellJob } from "./tell-job.ts";

/** See `Jobs.cancel`. Items under way are told by their executor; whoever takes the job over ends them. */
export async function cancelJob(
  tx: Transaction,
  { jobId, ...deps }: SettleDeps & { readonly jobId: string },
): Promise<JobRow> {
  const job = await lockJobRow(tx, jobId);
  if (job.endedAt !== null) throw new AppError("JOB_ENDED");
  if (job.cancelRequestedAt !== null) return job;
  await tx
    .update(jobs)
    .set({ cancelRequestedAt: sql`now()` })
    .where(eq(jobs.id, jobId));
  await tx
    .update(jobItems)
    .set({ state: "cancelled", endedAt: sql`now()` })
    .where(and(eq(jobItems.jobId, jobId), eq(jobItems.state, "queued")));
  const after = await settleJob(tx, deps, jobId);
  if (after.endedAt === null) tellJob(tx, "job.changed", after);
  return after;
}

/** See `Jobs.retry`. Steps that are done stay done. */
export async function retryJob(tx: Transaction, jobId: string, reason: string | undefined): Promise<JobRow> {
  const job = await lockJobRow(tx, jobId);
  if (job.endedAt === null) throw new AppError("JOB_NOT_ENDED");
  const isMeant = reason === undefined ? undefined : eq(jobItems.reason, reason);
  const failed = and(eq(jobItems.jobId, jobId), eq(jobItems.state, "failed"), isMeant);
  await tx
    .update(jobs)
    .set({ cancelRequestedAt: null, dueAt: sql`now()` })
    .where(eq(jobs.id, jobId));
  const queued = await refusingSecond(() =>
    tx
      .update(jobItems)
      .set({ ...noError, state: "queued", attempts: 0, dueAt: sql`now()`, result: null, endedAt: null })
      .where(failed)
      .returning({ id: jobItems.id }),
  );
  if (queued.length === 0) throw new AppError("JOB_NOTHING_TO_RETRY");
  const after = await getJobRow(tx, jobId);
  tellJob(tx, "job.changed", after);
  return after;
}

async function refusingSecond<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, "jobs_singleton")) throw new AppError("JOB_ALREADY_RUNNING", {}, error);
    throw error;
  }
}
