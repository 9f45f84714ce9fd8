import { createHash } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import { and, eq, sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import type { Transaction } from "../infra/db/create-database.ts";
import type { Reply } from "./route-binding.ts";

/** Answers of requests that came with a key, kept for a day. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    userId: uuid("user_id").notNull(),
    key: text("key").notNull(),
    requestHash: text("request_hash").notNull(),
    status: integer("status"),
    headers: jsonb("headers").$type<Record<string, string>>(),
    body: jsonb("body"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index("idempotency_keys_created_at").on(table.createdAt),
  ],
);

export interface KeyedRequest {
  readonly userId: string;
  readonly key: string;
  /** What makes it the same request: operation, tenant, path and body. */
  readonly content: unknown;
}

/**
 * Runs `work` once for a key. A repetition gets the first answer; one that comes while the first is under way waits for its
 * end. The answer is kept in the transaction of the work, so that a failure leaves neither.
 * @throws AppError IDEMPOTENCY_KEY_REUSED when the key came with another request.
 */
export async function runIdempotent(
  tx: Transaction,
  { userId, key, content }: KeyedRequest,
  work: () => Promise<Reply & { status: number }>,
): Promise<Reply> {
  const requestHash = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  // Of two at once the second waits here until the first is committed or rolled back.
  const reserved = await tx
    .insert(idempotencyKeys)
    .values({ userId, key, requestHash })
    .onConflictDoNothing()
    .returning();
  const own = and(eq(idempotencyKeys.userId, userId), eq(idempotencyKeys.key, key));
  if (reserved.length === 0) {
    const [first] = await tx.select().from(idempotencyKeys).where(own);
    if (first?.status === undefined || first.status === null) throw new AppError("IDEMPOTENCY_KEY_BUSY");
    if (first.requestHash !== requestHash) throw new AppError("IDEMPOTENCY_KEY_REUSED");
    return { status: first.status, body: first.body, headers: { ...first.headers, "idempotency-replayed": "true" } };
  }
  const reply = await work();
  const kept = { status: reply.status, headers: { ...reply.headers }, body: reply.body ?? null };
  await tx.update(idempotencyKeys).set(kept).where(own);
  return reply;
}

/** Removes keys that are older than a day. */
export async function sweepIdempotencyKeys(tx: Transaction): Promise<void> {
  await tx.delete(idempotencyKeys).where(sql`${idempotencyKeys.createdAt} < now() - interval '24 hours'`);
}
