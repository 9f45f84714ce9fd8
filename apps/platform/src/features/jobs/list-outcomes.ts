import { and, asc, eq, gt } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import type { ItemRow } from "./items.ts";
import { jobItems } from "./tables.ts";

const pageSize = 500;

/** What became of each item of a job, in their order. */
export async function* listOutcomes(
  queries: Queries,
  jobId: string,
): AsyncGenerator<Pick<ItemRow, "itemNo" | "state" | "result" | "reason" | "detail">> {
  const { itemNo, state, result, reason, detail } = jobItems;
  for (let lastNo = 0; ;) {
    const page = await queries
      .select({ itemNo, state, result, reason, detail })
      .from(jobItems)
      .where(and(eq(jobItems.jobId, jobId), gt(itemNo, lastNo)))
      .orderBy(asc(itemNo))
      .limit(pageSize);
    yield* page;
    lastNo = page.at(-1)?.itemNo ?? lastNo;
    if (page.length < pageSize) return;
  }
}
