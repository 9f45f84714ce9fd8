import { AppError } from "@attune/service-kit/app-error.ts";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Queries, Transaction } from "../../infra/db/create-database.ts";
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

/** The job after its items were moved; its kind is told when that was its end. The job must be locked. */
export async function settleJob(tx: Transaction, kinds: readonly JobKind[], jobId: string): Promise<JobRow> {
  const job = await getJobRow(tx, jobId);
  if (job.endedAt === null) return job;
  tellJob(tx, "job.ended", job);
  await kinds.find(({ name }) => name === job.kind)?.whenEnded?.(tx, job);
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
      select id from ${jobs} where ended_at < now() - interval '90 days' order by ended_at limit 1000)`);
  return rowCount ?? 0;
}
