import { jobItemStates, jobStates } from "@attune/contracts/rest/jobs.ts";
import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { idColumn, moment } from "../../infra/db/columns.ts";
import { tenants } from "../identity/index.ts";

/** Kept by triggers on the items, and by nothing else. */
const itemCount = (name: string) => integer(name).notNull().default(0);

/** Background work. Its state follows from the counts of its items; triggers keep the counts. */
export const jobs = pgTable(
  "jobs",
  {
    id: idColumn(),
    /** Null for work of the whole platform. */
    tenantId: uuid("tenant_id").references(() => tenants.id),
    kind: text("kind").notNull(),
    params: jsonb("params").notNull(),
    /** Null for work that the platform began itself. */
    createdBy: uuid("created_by"),
    isPrivate: boolean("is_private").notNull(),
    /** Of the jobs with the same key at most one is open. */
    singletonKey: text("singleton_key"),
    queuedCount: itemCount("queued_count"),
    runningCount: itemCount("running_count"),
    succeededCount: itemCount("succeeded_count"),
    failedCount: itemCount("failed_count"),
    cancelledCount: itemCount("cancelled_count"),
    state: text("state", { enum: jobStates })
      .notNull()
      .generatedAlwaysAs(
        sql`case
          when running_count > 0 then 'running'
          when queued_count > 0 and succeeded_count + failed_count + cancelled_count > 0 then 'running'
          when queued_count > 0 then 'queued'
          when cancelled_count > 0 then 'cancelled'
          when failed_count > 0 and succeeded_count > 0 then 'partially_succeeded'
          when failed_count > 0 then 'failed'
          else 'succeeded' end`,
      ),
    /** Who works on it. */
    executorId: uuid("executor_id"),
    /** Grows whenever somebody takes it; who holds an older number can write nothing any more. */
    fence: integer("fence").notNull().default(0),
    /** Nobody takes it before. */
    dueAt: moment("due_at").notNull(),
    cancelRequestedAt: moment("cancel_requested_at"),
    createdAt: moment("created_at").notNull(),
    startedAt: moment("started_at"),
    endedAt: moment("ended_at"),
  },
  (table) => [
    uniqueIndex("jobs_singleton")
      .on(table.singletonKey)
      .where(sql`singleton_key is not null and ended_at is null`),
    index("jobs_open")
      .on(table.dueAt)
      .where(sql`ended_at is null`),
    index("jobs_tenant").on(table.tenantId, table.id),
    index("jobs_ended").on(table.endedAt),
    check("jobs_counts", sql`least(queued_count, running_count, succeeded_count, failed_count, cancelled_count) >= 0`),
  ],
);

export const jobItems = pgTable(
  "job_items",
  {
    id: idColumn(),
    jobId: uuid("job_id")
      .notNull()
      .references(() => jobs.id, { onDelete: "cascade" }),
    itemNo: integer("item_no").notNull(),
    /** What it is done on, in words for people. */
    subject: text("subject").notNull(),
    input: jsonb("input").notNull(),
    state: text("state", { enum: jobItemStates }).notNull().default("queued"),
    /** Attempts that began, without those that an orderly stop of the platform broke off. */
    attempts: integer("attempts").notNull().default(0),
    /** The next attempt does not begin before. */
    dueAt: moment("due_at").notNull(),
    /** Results of the steps that are done, by name. */
    steps: jsonb("steps").$type<Record<string, unknown>>().notNull().default({}),
    result: jsonb("result").$type<Record<string, unknown>>(),
    reason: text("reason"),
    detail: text("detail"),
    remedy: text("remedy"),
    violations: jsonb("violations").$type<readonly { pointer: string; message: string }[]>(),
    startedAt: moment("started_at"),
    endedAt: moment("ended_at"),
  },
  (table) => [
    uniqueIndex("job_items_number").on(table.jobId, table.itemNo),
    index("job_items_state").on(table.jobId, table.state, table.itemNo),
    check("job_items_state", sql`state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')`),
    check("job_items_failed", sql`state <> 'failed' or (reason is not null and remedy is not null)`),
  ],
);

/** Processes that work on jobs. One whose lease has ended, by the clock of the database, counts as dead. */
export const jobExecutors = pgTable("job_executors", {
  id: idColumn(),
  /** Machine, boot and process space: where `process_mark` means something. */
  place: text("place").notNull(),
  processMark: text("process_mark").notNull(),
  leasedUntil: moment("leased_until").notNull(),
});

/** When work that comes again and again is due next. */
export const jobSchedules = pgTable("job_schedules", {
  name: text("name").primaryKey(),
  dueAt: moment("due_at").notNull(),
});
