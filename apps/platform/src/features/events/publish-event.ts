import type { EventType } from "@attune/contracts/rest/events.ts";
import { sql } from "drizzle-orm";
import { beforeCommit } from "../../infra/db/before-commit.ts";
import type { Transaction } from "../../infra/db/create-database.ts";

/** Where readers are told that a tenant, the payload, has new events. */
export const eventChannel = "attune_events";

export interface NewEvent {
  readonly tenantId: string;
  readonly type: EventType;
  /** A record of the kind that stands before the dot of the type. */
  readonly resourceId: string;
  /** Small facts; never a secret or text of a document. At most 2,000 characters of JSON. */
  readonly data?: Readonly<Record<string, string | number | boolean | null>>;
}

const maxDataLength = 2000;

const published = new WeakMap<Transaction, NewEvent[]>();

/**
 * Appends an event to the feed of its tenant, in the transaction of the change that it tells, so that neither is without the
 * other. It may be called anywhere in a transaction of `Database.transaction`; what is written, is written at its very end.
 */
export function publishEvent(tx: Transaction, event: NewEvent): void {
  const length = JSON.stringify(event.data ?? {}).length;
  if (length > maxDataLength) throw new Error(`The data of ${event.type} has ${length} characters.`);
  const own = published.get(tx);
  if (own !== undefined) own.push(event);
  else {
    beforeCommit(tx, writeEvents);
    published.set(tx, [event]);
  }
}

/**
 * The end of a feed is locked from here to the commit, which makes ids visible in their order and without gaps. Nothing else
 * is locked after it, and feeds in one order, so that no two transactions wait for each other.
 */
async function writeEvents(tx: Transaction): Promise<void> {
  const byTenant = Map.groupBy(published.get(tx) ?? [], ({ tenantId }) => tenantId);
  for (const [tenantId, events] of [...byTenant].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const rows = events.map(({ type, resourceId, data = {} }, index) => ({
      place: index + 1,
      type,
      kind: type.split(".")[0],
      resource_id: resourceId,
      data,
    }));
    await tx.execute(sql`
      with head as (
        insert into event_heads (tenant_id, seq) values (${tenantId}::uuid, ${rows.length}::bigint)
        on conflict (tenant_id) do update set seq = event_heads.seq + excluded.seq
        returning seq
      ), kept as (
        insert into events (tenant_id, seq, type, resource_kind, resource_id, data, created_at)
        select ${tenantId}::uuid, seq - ${rows.length}::bigint + place, type, kind, resource_id, data, clock_timestamp()
        from head, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as told (place bigint, type text, kind text, resource_id uuid, data jsonb)
      )
      select pg_notify(${eventChannel}, ${tenantId}::text)`);
  }
}
