import {
  cancelJob,
  cancelPlatformJob,
  getJob,
  getPlatformJob,
  listJobItems,
  listJobs,
  listPlatformJobItems,
  listPlatformJobs,
  retryJob,
  retryPlatformJob,
} from "@attune/contracts/rest/jobs.ts";
import type { Action } from "@attune/contracts/rest/define-route.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { bindRoute, type RequestContext, type RouteBinding } from "../../http/route-binding.ts";
import type { Transaction } from "../../infra/db/create-database.ts";
import { fromCursor, toId, toNumber, toPage } from "../../infra/db/cursor.ts";
import { abilityOf, requireAllowed, whereAllowed } from "../access/index.ts";
import type { JobRow } from "./job-kind.ts";
import type { Jobs } from "./jobs.ts";
import { findJob, groupFailures, selectItems, selectJobs } from "./list-jobs.ts";
import { jobs as jobsTable } from "./tables.ts";
import { toDetail, toItemWire, toWire } from "./to-wire.ts";

export function bindJobRoutes(jobs: Jobs): RouteBinding[] {
  return [
    bindRoute(listJobs, async (context) => list(context, context.tenantId, await allowedIn(context))),
    bindRoute(getJob, async (context) => show(context, await getAllowed(context, "read"))),
    bindRoute(listJobItems, async (context) => listItems(context, await getAllowed(context, "read"))),
    bindRoute(cancelJob, async (context) => cancel(context, jobs, await getAllowed(context, "manage"))),
    bindRoute(retryJob, async (context) => retry(context, jobs, await getAllowed(context, "manage"))),
    bindRoute(listPlatformJobs, (context) => list(context, null)),
    bindRoute(getPlatformJob, async (context) => show(context, await getOfPlatform(context))),
    bindRoute(listPlatformJobItems, async (context) => listItems(context, await getOfPlatform(context))),
    bindRoute(cancelPlatformJob, async (context) => cancel(context, jobs, await getOfPlatform(context))),
    bindRoute(retryPlatformJob, async (context) => retry(context, jobs, await getOfPlatform(context))),
  ];
}

type RecordContext = Pick<RequestContext<typeof getJob>, "queries" | "principal" | "tenantId" | "params">;

/** @throws AppError `RECORD_NOT_FOUND`, `PERMISSION_DENIED`. */
async function getAllowed({ queries, principal, tenantId, params }: RecordContext, action: Action): Promise<JobRow> {
  const ability = await abilityOf(queries, principal);
  const job = await findJob(queries, tenantId, params.job_id);
  // What the platform began itself nobody owns.
  const record = job && { ...job, tenantId, ownerId: job.createdBy ?? "" };
  requireAllowed(ability, { action, resource: "job" }, record);
  return job as JobRow;
}

async function getOfPlatform({ queries, params }: Pick<RecordContext, "queries" | "params">): Promise<JobRow> {
  const job = await findJob(queries, null, params.job_id);
  if (job === undefined) throw new AppError("RECORD_NOT_FOUND");
  return job;
}

async function allowedIn({ queries, principal }: Pick<RecordContext, "queries" | "principal">) {
  const { id, tenantId, createdBy: ownerId, isPrivate } = jobsTable;
  const request = { action: "read", resource: "job" } as const;
  return whereAllowed(await abilityOf(queries, principal), request, { id, tenantId, ownerId, isPrivate });
}

type ListContext = Pick<RequestContext<typeof listJobs>, "queries" | "query">;

async function list(
  { queries, query }: ListContext,
  tenantId: string | null,
  allowed?: Awaited<ReturnType<typeof allowedIn>>,
) {
  const { state, kind, limit } = query;
  const before = fromCursor(query.cursor, 1);
  const beforeId = before === undefined ? undefined : toId(before[0]);
  const rows = await selectJobs(queries, { tenantId, allowed, state, kind, beforeId, limit: limit + 1 });
  return { body: toPage(rows.map(toWire), limit, (last) => [last.id]) };
}

async function show({ queries }: Pick<RecordContext, "queries">, job: JobRow) {
  return { body: toDetail(job, await groupFailures(queries, job.id)) };
}

async function listItems(
  { queries, query }: Pick<RequestContext<typeof listJobItems>, "queries" | "query">,
  { id }: JobRow,
) {
  const { state, reason, limit } = query;
  const after = fromCursor(query.cursor, 1);
  const afterNo = after === undefined ? 0 : toNumber(after[0]);
  const rows = await selectItems(queries, { jobId: id, state, reason, afterNo, limit: limit + 1 });
  return { body: toPage(rows.map(toItemWire), limit, (last) => [last.item_no]) };
}

type ChangeContext = Pick<RequestContext<typeof cancelJob>, "queries" | "concerns">;

async function cancel({ queries, concerns }: ChangeContext, jobs: Jobs, { id, kind }: JobRow) {
  const job = await jobs.cancel(queries as Transaction, id);
  concerns({ resourceKind: "job", resourceId: id, details: { kind } });
  return { body: toWire(job) };
}

async function retry(
  { queries, concerns, body: { reason } }: ChangeContext & Pick<RequestContext<typeof retryJob>, "body">,
  jobs: Jobs,
  { id, kind }: JobRow,
) {
  const job = await jobs.retry(queries as Transaction, id, reason);
  concerns({ resourceKind: "job", resourceId: id, details: { kind, ...(reason !== undefined && { reason }) } });
  return { body: toWire(job) };
}
