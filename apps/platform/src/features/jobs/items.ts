import type { JobItemState } from "@attune/contracts/rest/jobs.ts";
import { createId } from "@attune/service-kit/create-id.ts";
import { and, eq, max, sql } from "drizzle-orm";
import type { Transaction } from "../../infra/db/create-database.ts";
import { LeaseLost } from "./hold.ts";
import type { NewItem } from "./job-kind.ts";
import { jobItems } from "./tables.ts";

export type ItemRow = typeof jobItems.$inferSelect;

const batchSize = 1000;

export interface ItemPlace {
  readonly jobId: string;
  readonly firstNo: number;
  readonly state: JobItemState;
}

export async function insertItems(
  tx: Transaction,
  { jobId, firstNo, state }: ItemPlace,
  items: readonly NewItem<unknown>[],
): Promise<void> {
  for (let at = 0; at < items.length; at += batchSize) {
    await tx.insert(jobItems).values(
      items.slice(at, at + batchSize).map(({ subject, input }, index) => ({
        id: createId(),
        jobId,
        itemNo: firstNo + at + index,
        subject,
        input,
        state,
        dueAt: sql`now()`,
      })),
    );
  }
}

/** The number that the next item of a job gets. The job must be locked. */
export async function nextItemNo(tx: Transaction, jobId: string): Promise<number> {
  const [last] = await tx
    .select({ no: max(jobItems.itemNo) })
    .from(jobItems)
    .where(eq(jobItems.jobId, jobId));
  return (last?.no ?? 0) + 1;
}

/** An item without the failure of an attempt. */
export const noError = { reason: null, detail: null, remedy: null, violations: null } as const;

type ItemChange = Parameters<ReturnType<Transaction["update"]>["set"]>[0];

/** Moves an item that is under way. The job must be locked. @throws LeaseLost when it is no longer under way. */
export async function moveRunning(tx: Transaction, itemId: string, change: ItemChange): Promise<void> {
  const moved = await tx
    .update(jobItems)
    .set(change as Partial<typeof jobItems.$inferInsert>)
    .where(and(eq(jobItems.id, itemId), eq(jobItems.state, "running")))
    .returning({ id: jobItems.id });
  if (moved.length === 0) throw new LeaseLost();
}
