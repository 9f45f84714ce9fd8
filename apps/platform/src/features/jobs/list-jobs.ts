import type { JobItemState, jobStates } from "@attune/contracts/rest/jobs.ts";
import { and, asc, desc, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import type { ItemRow } from "./items.ts";
import type { JobRow } from "./job-kind.ts";
import { jobItems, jobs } from "./tables.ts";
import type { FailureGroup } from "./to-wire.ts";

export interface JobFilter {
  /** Null for work of the whole platform. */
  readonly tenantId: string | null;
  /** The rights of who asks. */
  readonly allowed: SQL | undefined;
  readonly state: (typeof jobStates)[number] | undefined;
  readonly kind: string | undefined;
  readonly beforeId: string | undefined;
  readonly limit: number;
}

/** The newest first. */
export async function selectJobs(queries: Queries, filter: JobFilter): Promise<JobRow[]> {
  const { tenantId, allowed, state, kind, beforeId, limit } = filter;
  return queries
    .select()
    .from(jobs)
    .where(
      and(
        inTenant(tenantId),
        allowed,
        state === undefined ? undefined : eq(jobs.state, state),
        kind === undefined ? undefined : eq(jobs.kind, kind),
        beforeId === undefined ? undefined : lt(jobs.id, beforeId),
      ),
    )
    .orderBy(desc(jobs.id))
    .limit(limit);
}

export async function findJob(queries: Queries, tenantId: string | null, id: string): Promise<JobRow | undefined> {
  const [job] = await queries
    .select()
    .from(jobs)
    .where(and(inTenant(tenantId), eq(jobs.id, id)));
  return job;
}

const inTenant = (tenantId: string | null): SQL =>
  tenantId === null ? isNull(jobs.tenantId) : eq(jobs.tenantId, tenantId);

/** What failed, by reason, the most frequent first. */
export async function groupFailures(queries: Queries, jobId: string): Promise<FailureGroup[]> {
  const { reason, detail, remedy, itemNo } = jobItems;
  return queries
    .select({
      reason: sql<string>`${reason}`,
      count: sql<number>`count(*)::int`,
      detail: sql<string | null>`(array_agg(${detail} order by ${itemNo}))[1]`,
      remedy: sql<string>`(array_agg(${remedy} order by ${itemNo}))[1]`,
    })
    .from(jobItems)
    .where(and(eq(jobItems.jobId, jobId), eq(jobItems.state, "failed")))
    .groupBy(reason)
    .orderBy(sql`count(*) desc`, asc(reason));
}

export interface ItemFilter {
  readonly jobId: string;
  readonly state: JobItemState | undefined;
  readonly reason: string | undefined;
  readonly afterNo: number;
  readonly limit: number;
}

/** In their order. */
export async function selectItems(queries: Queries, filter: ItemFilter): Promise<ItemRow[]> {
  const { jobId, state, reason, afterNo, limit } = filter;
  return queries
    .select()
    .from(jobItems)
    .where(
      and(
        eq(jobItems.jobId, jobId),
        gt(jobItems.itemNo, afterNo),
        state === undefined ? undefined : eq(jobItems.state, state),
        reason === undefined ? undefined : eq(jobItems.reason, reason),
      ),
    )
    .orderBy(asc(jobItems.itemNo))
    .limit(limit);
}
