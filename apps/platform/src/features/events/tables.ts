import { bigint, index, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { moment } from "../../infra/db/columns.ts";
import { tenants } from "../identity/index.ts";

/** What changed in a tenant, in the order of the commits and without gaps. Old rows are swept; none is ever changed. */
export const events = pgTable(
  "events",
  {
    tenantId: uuid("tenant_id")
      .notNull()
      .references(() => tenants.id),
    /** The id that readers resume after. */
    seq: bigint("seq", { mode: "number" }).notNull(),
    type: text("type").notNull(),
    resourceKind: text("resource_kind").notNull(),
    resourceId: uuid("resource_id").notNull(),
    data: jsonb("data").$type<Record<string, unknown>>().notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.seq] }),
    index("events_created_at").on(table.createdAt, table.tenantId, table.seq),
  ],
);

/** The last event of each tenant. Whoever publishes locks it as the last thing, so that ids are visible in their order. */
export const eventHeads = pgTable("event_heads", {
  tenantId: uuid("tenant_id")
    .primaryKey()
    .references(() => tenants.id),
  seq: bigint("seq", { mode: "number" }).notNull(),
});
