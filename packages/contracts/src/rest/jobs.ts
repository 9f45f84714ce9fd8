import * as z from "zod";
import { defineRoute } from "./define-route.ts";
import { idSchema, pageOf, pageQuery, timeSchema } from "./schemas.ts";

/** States of one item of work. */
export const jobItemStates = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
export type JobItemState = (typeof jobItemStates)[number];

/** States of a job, computed from those of its items. */
export const jobStates = ["queued", "running", "succeeded", "partially_succeeded", "failed", "cancelled"] as const;

const count = z.int().nonnegative();
const reason = z.string().regex(/^[A-Z][A-Z_]{0,79}$/, { error: "must be a reason such as STORAGE_UNAVAILABLE" });

export const jobSchema = z
  .strictObject({
    id: idSchema,
    kind: z.string(),
    state: z.enum(jobStates).meta({ description: "Computed from the items" }),
    items: z.strictObject({
      total: count,
      queued: count,
      running: count,
      succeeded: count,
      failed: count,
      cancelled: count,
    }),
    is_cancelling: z.boolean().meta({ description: "Whether it was cancelled and items are still under way" }),
    created_by: idSchema.nullable().meta({ description: "Null for work that the platform began itself" }),
    created_at: timeSchema,
    started_at: timeSchema.nullable(),
    ended_at: timeSchema.nullable(),
  })
  .meta({ id: "Job" });

export const jobDetailSchema = jobSchema
  .extend({
    failures: z
      .array(z.strictObject({ reason: z.string(), count, detail: z.string().nullable(), remedy: z.string() }))
      .meta({ description: "Failed items by reason, with the detail of the first one" }),
  })
  .meta({ id: "JobDetail" });

export const jobItemSchema = z
  .strictObject({
    item_no: z.int().positive(),
    subject: z.string().meta({ description: "What the work is done on" }),
    state: z.enum(jobItemStates),
    attempts: count,
    result: z.record(z.string(), z.unknown()).nullable(),
    error: z
      .strictObject({
        reason: z.string(),
        detail: z.string().nullable(),
        remedy: z.string(),
        violations: z.array(z.strictObject({ pointer: z.string(), message: z.string() })),
      })
      .nullable()
      .meta({ description: "Of a failed item, and of one that waits for its next attempt" }),
    next_attempt_at: timeSchema.nullable(),
    started_at: timeSchema.nullable(),
    ended_at: timeSchema.nullable(),
  })
  .meta({ id: "JobItem" });

const tag = "jobs";
const byId = z.strictObject({ job_id: idSchema });
const jobFilters = pageQuery.extend({
  state: z.enum(jobStates).optional(),
  kind: z.string().max(100).optional(),
});
const itemFilters = pageQuery.extend({ state: z.enum(jobItemStates).optional(), reason: reason.optional() });
const retryBody = z.strictObject({
  reason: reason.optional().meta({ description: "Only items that failed for it; all failed ones unless given" }),
});
const readable = { kind: "tenant", action: "read", resource: "job" } as const;
const manageable = { kind: "tenant", action: "manage", resource: "job" } as const;
const byAuditor = { kind: "platform", role: "auditor" } as const;
const byOperator = { kind: "platform", role: "operator" } as const;

export const listJobs = defineRoute({
  id: "listJobs",
  method: "GET",
  path: "/jobs",
  tag,
  summary: "The background work of the tenant that one may know of, the newest first",
  access: readable,
  query: jobFilters,
  responses: { 200: pageOf(jobSchema) },
});

export const getJob = defineRoute({
  id: "getJob",
  method: "GET",
  path: "/jobs/{job_id}",
  tag,
  summary: "One job, with what failed by reason",
  access: readable,
  params: byId,
  responses: { 200: jobDetailSchema },
});

export const listJobItems = defineRoute({
  id: "listJobItems",
  method: "GET",
  path: "/jobs/{job_id}/items",
  tag,
  summary: "The items of a job with their results and errors",
  access: readable,
  params: byId,
  query: itemFilters,
  responses: { 200: pageOf(jobItemSchema) },
});

export const cancelJob = defineRoute({
  id: "cancelJob",
  method: "POST",
  path: "/jobs/{job_id}/cancel",
  tag,
  summary: "Cancel a job: items that wait are cancelled at once, those under way are told to stop",
  access: manageable,
  params: byId,
  responses: { 202: jobSchema },
});

export const retryJob = defineRoute({
  id: "retryJob",
  method: "POST",
  path: "/jobs/{job_id}/retry",
  tag,
  summary: "Run the failed items of a job that has ended again, and nothing else",
  access: manageable,
  params: byId,
  body: retryBody,
  responses: { 202: jobSchema },
});

export const listPlatformJobs = defineRoute({
  ...listJobs,
  id: "listPlatformJobs",
  path: "/platform/jobs",
  summary: "The background work of the whole platform, outside tenants, the newest first",
  access: byAuditor,
});

export const getPlatformJob = defineRoute({
  ...getJob,
  id: "getPlatformJob",
  path: "/platform/jobs/{job_id}",
  summary: "One job of the platform, with what failed by reason",
  access: byAuditor,
});

export const listPlatformJobItems = defineRoute({
  ...listJobItems,
  id: "listPlatformJobItems",
  path: "/platform/jobs/{job_id}/items",
  summary: "The items of a job of the platform with their results and errors",
  access: byAuditor,
});

export const cancelPlatformJob = defineRoute({
  ...cancelJob,
  id: "cancelPlatformJob",
  path: "/platform/jobs/{job_id}/cancel",
  summary: "Cancel a job of the platform",
  access: byOperator,
});

export const retryPlatformJob = defineRoute({
  ...retryJob,
  id: "retryPlatformJob",
  path: "/platform/jobs/{job_id}/retry",
  summary: "Run the failed items of a job of the platform again",
  access: byOperator,
});

export const verifyStoredObjects = defineRoute({
  id: "verifyStoredObjects",
  method: "POST",
  path: "/system/storage-verifications",
  tag,
  summary: "Read everything that is stored and compare it with its checksums, as a job; one at a time",
  access: byOperator,
  responses: { 202: jobSchema },
  isIdempotent: true,
});
