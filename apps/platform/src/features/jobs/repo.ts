import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Queries, Transaction } from "../../infra/db/create-database.ts";
import { isRetryable } from "../../infra/db/database-error.ts";
import type { JobKind, JobRow } from "./job-kind.ts";
import { jobs } from "./tables.ts";
import { tellJob } from "./tell-job.ts";

/** A moment by the clock of the database, which all nodes share. */
export const fromNow = (milliseconds: number): SQL => sql`now() + ${milliseconds / 1000} * interval '1 second'`;

/** @throws AppError `RECORD_NOT_FOUND`. */
export async function getJobRow(queries: Queries, jobId: string): Promise<JobRow> {
  const [job] = await queries.select().from(jobs).where(eq(jobs.id, jobId));
  if (job === undefined) throw new AppError("RECORD_NOT_FOUND");
  return job;
}

/** @throws AppError `RECORD_NOT_FOUND`. */
export async function lockJobRow(tx: Transaction, jobId: string): Promise<JobRow> {
  const [job] = await tx.select().from(jobs).where(eq(jobs.id, jobId)).for("no key update");
  if (job === undefined) throw new AppError("RECORD_NOT_FOUND");
  return job;
}

export interface SettleDeps {
  readonly kinds: readonly JobKind[];
  readonly logger: Logger;
}

/** The job after its items were moved; its kind is told when that was its end. The job must be locked. */
export async function settleJob(tx: Transaction, { kinds, logger }: SettleDeps, jobId: string): Promise<JobRow> {
  const job = await getJobRow(tx, jobId);
  if (job.endedAt === null) return job;
  tellJob(tx, "job.ended", job);
  const kind = kinds.find(({ name }) => name === job.kind);
  if (kind?.whenEnded === undefined) return job;
  await tx.execute(sql`savepoint job_ended`);
  try {
    await kind.whenEnded(tx, job);
  } catch (error) {
    if (isRetryable(error)) throw error;
    // The items have ended all the same; a job that never could would be taken up again and again.
    logger.error({ error, jobId, kind: job.kind }, "what follows the end of a job failed");
    await tx.execute(sql`rollback to savepoint job_ended`);
  }
  return job;
}

/** What rights on jobs of a tenant depend on. */
export async function selectProtectedJobs(queries: Queries, tenantId: string, ids: readonly string[]) {
  const { id, createdBy, isPrivate } = jobs;
  const rows = await queries
    .select({ id, createdBy, isPrivate })
    .from(jobs)
    .where(and(eq(jobs.tenantId, tenantId), inArray(id, [...ids])));
  // What the platform began itself nobody owns.
  return rows.map((row) => ({ id: row.id, tenantId, ownerId: row.createdBy ?? "", isPrivate: row.isPrivate }));
}

/** Removes jobs that ended so long ago, with their items. */
export async function sweepJobs(queries: Queries): Promise<number> {
  const { rowCount } = await queries.execute(sql`
    delete from ${jobs} where id in (
      select id from ${jobs} where ended_at < now() - interval '90 days' order by ended_at limit 100)`);
  return rowCount ?? 0;
}
