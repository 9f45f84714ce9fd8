import { and, eq, lte, sql } from "drizzle-orm";
import type { Database } from "../../infra/db/create-database.ts";
import type { JobSchedule } from "./job-kind.ts";
import { fromNow } from "./repo.ts";
import { jobSchedules } from "./tables.ts";

/** Begins the work that is due. Of several nodes one does; when its transaction fails, the work stays due. */
export async function runSchedules(database: Database, schedules: readonly JobSchedule[]): Promise<void> {
  for (const { name, everyMs, enqueue } of schedules) {
    if (!(await isDue(database, name))) continue;
    await database.transaction(async (tx) => {
      await tx
        .insert(jobSchedules)
        .values({ name, dueAt: sql`now()` })
        .onConflictDoNothing();
      const [won] = await tx
        .update(jobSchedules)
        .set({ dueAt: fromNow(everyMs) })
        .where(and(eq(jobSchedules.name, name), lte(jobSchedules.dueAt, sql`now()`)))
        .returning();
      if (won !== undefined) await enqueue(tx);
    });
  }
}

async function isDue({ queries }: Database, name: string): Promise<boolean> {
  const rows = await queries
    .select({ isDue: sql<boolean>`${jobSchedules.dueAt} <= now()` })
    .from(jobSchedules)
    .where(eq(jobSchedules.name, name));
  return rows[0]?.isDue ?? true;
}
