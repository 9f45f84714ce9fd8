import { bigint, index, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, moment } from "../../infra/db/columns.ts";

/** Every operation that changed something, gave data out or was refused. Rows are never changed: triggers see to it. */
export const operationLogs = pgTable(
  "operation_logs",
  {
    /** Id of the tenant, or `platform`. Each chain is hashed and locked by itself. */
    chain: text("chain").notNull(),
    seq: bigint("seq", { mode: "number" }).notNull(),
    at: moment("at").notNull(),
    userId: uuid("user_id"),
    actor: text("actor").notNull(),
    credentialId: uuid("credential_id"),
    action: text("action").notNull(),
    resourceKind: text("resource_kind"),
    resourceId: text("resource_id"),
    outcome: text("outcome", { enum: ["succeeded", "refused", "failed"] }).notNull(),
    reason: text("reason"),
    details: jsonb("details").$type<Record<string, unknown>>(),
    ip: text("ip").notNull(),
    requestId: text("request_id").notNull(),
    /** SHA-256 over the hash of the line before and all that this line says. */
    hash: bytea("hash").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chain, table.seq] }),
    index("operation_logs_resource").on(table.chain, table.resourceKind, table.resourceId, table.seq),
    index("operation_logs_user").on(table.chain, table.userId, table.seq),
    index("operation_logs_action").on(table.chain, table.action, table.seq),
  ],
);

/** The end of each chain. Whoever appends locks it, as the last thing a transaction does. */
export const operationLogHeads = pgTable("operation_log_heads", {
  chain: text("chain").primaryKey(),
  seq: bigint("seq", { mode: "number" }).notNull(),
  hash: bytea("hash").notNull(),
});
