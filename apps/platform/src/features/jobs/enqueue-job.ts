import { createId } from "@attune/service-kit/create-id.ts";
import { and, eq, isNull, sql } from "drizzle-orm";
import type * as z from "zod";
import type { Transaction } from "../../infra/db/create-database.ts";
import { insertItems } from "./items.ts";
import type { JobKind, JobRow } from "./job-kind.ts";
import type { NewJob } from "./jobs.ts";
import { getJobRow } from "./repo.ts";
import { jobs } from "./tables.ts";
import { tellJob } from "./tell-job.ts";

/** See `Jobs.enqueue`. */
export async function enqueueJob<TParams extends z.ZodType, TInput extends z.ZodType>(
  tx: Transaction,
  kind: JobKind<TParams, TInput>,
  given: NewJob<z.input<TParams>, z.input<TInput>>,
): Promise<JobRow> {
  const { items, params, singletonKey = null, isPrivate = false } = given;
  if (items.length === 0) throw new Error(`A job of the kind ${kind.name} was given nothing to do.`);
  kind.params.parse(params);
  for (const { input } of items) kind.input.parse(input);
  const { tenantId = null, createdBy = null } = given;
  const row = { id: createId(), tenantId, createdBy, isPrivate, singletonKey, kind: kind.name, params };
  for (;;) {
    const [made] = await tx
      .insert(jobs)
      .values({ ...row, dueAt: sql`now()`, createdAt: sql`now()` })
      .onConflictDoNothing()
      .returning({ id: jobs.id });
    if (made !== undefined) break;
    const [open] = await tx
      .select()
      .from(jobs)
      .where(and(eq(jobs.singletonKey, singletonKey ?? ""), isNull(jobs.endedAt)));
    // The open one may end between the two statements; then there is room for another.
    if (open !== undefined) return open;
  }
  await insertItems(tx, { jobId: row.id, firstNo: 1, state: "queued" }, items);
  const job = await getJobRow(tx, row.id);
  tellJob(tx, "job.created", job);
  return job;
}
