import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Queries, Transaction } from "../../infra/db/create-database.ts";
import type { EventRetention } from "./event-settings.ts";
import { eventHeads, events } from "./tables.ts";

export type EventRow = typeof events.$inferSelect;

/** The id of the last event of a tenant; 0 while there is none. */
export async function readHead(queries: Queries, tenantId: string): Promise<number> {
  const [head] = await queries.select().from(eventHeads).where(eq(eventHeads.tenantId, tenantId));
  return head?.seq ?? 0;
}

export interface EventPage {
  /** The last event of the tenant, in the same snapshot. */
  readonly head: number;
  readonly events: readonly EventRow[];
  /** Whether events between `after` and the last one of the page are not there: swept, or lost with the database. */
  readonly hasGap: boolean;
}

/** The events that follow the event `after`, oldest first. */
export async function readPage(
  queries: Queries,
  tenantId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<EventPage> {
  const rows = await queries
    .select({ head: eventHeads.seq, event: events })
    .from(eventHeads)
    .leftJoin(events, and(eq(events.tenantId, eventHeads.tenantId), gt(events.seq, after)))
    .where(eq(eventHeads.tenantId, tenantId))
    .orderBy(asc(events.seq))
    .limit(limit);
  const head = rows[0]?.head ?? 0;
  const found = rows.flatMap(({ event }) => event ?? []);
  // Ids have no gaps but those that a sweep, or an older state of the database, leaves.
  const last = found.at(-1)?.seq ?? after;
  return { head, events: found, hasGap: last !== after + found.length || (found.length === 0 && head !== after) };
}

/** What one sweep removes at most, by age and by number each. */
const sweptAtMost = 20_000;

/** Removes the oldest events, as far as one statement may go; what it leaves the next sweep takes. */
export async function sweepEvents(tx: Transaction, { maxAgeMs, maxPerTenant }: EventRetention): Promise<number> {
  const ageLimit = new Date(Date.now() - maxAgeMs).toISOString();
  const byAge = await tx.execute(sql`
    delete from events where (tenant_id, seq) in (
      select tenant_id, seq from events where created_at < ${ageLimit}::timestamptz
      order by created_at, tenant_id, seq limit ${sweptAtMost}
    )`);
  const byNumber = await tx.execute(sql`
    delete from events where (tenant_id, seq) in (
      select old.tenant_id, old.seq from event_heads head cross join lateral (
        select tenant_id, seq from events
        where tenant_id = head.tenant_id and seq <= head.seq - ${maxPerTenant}::bigint
        order by seq limit ${sweptAtMost}
      ) old
      limit ${sweptAtMost}
    )`);
  return (byAge.rowCount ?? 0) + (byNumber.rowCount ?? 0);
}
