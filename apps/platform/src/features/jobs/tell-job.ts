import type { Transaction } from "../../infra/db/create-database.ts";
import { publishEvent } from "../events/index.ts";
import type { JobRow } from "./job-kind.ts";

/** Publishes what becomes of a job, for work of a tenant. */
export function tellJob(tx: Transaction, type: "job.created" | "job.changed" | "job.ended", job: JobRow): void {
  const { tenantId, id, kind, state } = job;
  if (tenantId === null) return;
  const data = { kind, state, ended_count: endedCount(job), item_count: itemCount(job) };
  publishEvent(tx, { tenantId, type, resourceId: id, data });
}

/** Publishes progress by the hundredth part, so that a job of a million items tells no more than one of a hundred. */
export function tellProgress(tx: Transaction, before: JobRow, after: JobRow): void {
  if (after.endedAt === null && hundredths(before) !== hundredths(after)) tellJob(tx, "job.changed", after);
}

const endedCount = ({ succeededCount, failedCount, cancelledCount }: JobRow): number =>
  succeededCount + failedCount + cancelledCount;
const itemCount = (job: JobRow): number => endedCount(job) + job.queuedCount + job.runningCount;
const hundredths = (job: JobRow): number => Math.floor((100 * endedCount(job)) / Math.max(1, itemCount(job)));
