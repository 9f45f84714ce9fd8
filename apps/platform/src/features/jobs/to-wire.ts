import type { jobDetailSchema, jobItemSchema, jobSchema } from "@attune/contracts/rest/jobs.ts";
import type * as z from "zod";
import type { ItemRow } from "./items.ts";
import type { JobRow } from "./job-kind.ts";

export function toWire(job: JobRow): z.input<typeof jobSchema> {
  const { queuedCount: queued, runningCount: running, succeededCount: succeeded } = job;
  const { failedCount: failed, cancelledCount: cancelled } = job;
  const total = queued + running + succeeded + failed + cancelled;
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    items: { total, queued, running, succeeded, failed, cancelled },
    is_cancelling: job.cancelRequestedAt !== null && job.endedAt === null,
    created_by: job.createdBy,
    created_at: job.createdAt.toISOString(),
    started_at: toTime(job.startedAt),
    ended_at: toTime(job.endedAt),
  };
}

export interface FailureGroup {
  readonly reason: string;
  readonly count: number;
  readonly detail: string | null;
  readonly remedy: string;
}

export function toDetail(job: JobRow, failures: readonly FailureGroup[]): z.input<typeof jobDetailSchema> {
  return { ...toWire(job), failures: failures.map((failure) => ({ ...failure })) };
}

export function toItemWire(item: ItemRow): z.input<typeof jobItemSchema> {
  const { reason, detail, remedy, violations, state, attempts } = item;
  const isWaiting = state === "queued" && attempts > 0;
  return {
    item_no: item.itemNo,
    subject: item.subject,
    state,
    attempts,
    result: item.result,
    error:
      reason === null || state === "succeeded"
        ? null
        : { reason, detail, remedy: remedy ?? "", violations: (violations ?? []).map((one) => ({ ...one })) },
    next_attempt_at: isWaiting ? toTime(item.dueAt) : null,
    started_at: toTime(item.startedAt),
    ended_at: toTime(item.endedAt),
  };
}

const toTime = (moment: Date | null): string | null => moment?.toISOString() ?? null;
