import type { EventType } from "@attune/contracts/rest/events.ts";
import { sql } from "drizzle-orm";
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

/**
 * Appends an event to the feed of its tenant, in the transaction of the change that it tells, so that neither is without the
 * other. It locks the end of the feed until the commit, which makes ids visible in their order and without gaps: call it as
 * late in the transaction as can be, though before `appendOperation`.
 */
export async function publishEvent(
  tx: Transaction,
  { tenantId, type, resourceId, data = {} }: NewEvent,
): Promise<void> {
  const [resourceKind] = type.split(".");
  const json = JSON.stringify(data);
  if (json.length > maxDataLength) throw new Error(`The data of ${type} has ${json.length} characters.`);
  await tx.execute(sql`
    with head as (
      insert into event_heads (tenant_id, seq) values (${tenantId}::uuid, 1)
      on conflict (tenant_id) do update set seq = event_heads.seq + 1
      returning seq
    ), kept as (
      insert into events (tenant_id, seq, type, resource_kind, resource_id, data, created_at)
      select ${tenantId}::uuid, seq, ${type}, ${resourceKind}, ${resourceId}::uuid, ${json}::jsonb, clock_timestamp()
      from head
      returning tenant_id
    )
    select pg_notify(${eventChannel}, tenant_id::text) from kept`);
}
