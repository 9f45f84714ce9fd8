import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate as applyMigrations } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { assertServerVersion } from "./server-version.ts";

const migrationsFolder = join(import.meta.dirname, "../../../drizzle");
/** Any number that no other program uses on this database. */
const lockKey = 4_721_190_526;
const retryMs = 100;

export interface MigrateOptions {
  readonly connectTimeoutMs: number;
  /** Time to wait for another node that migrates. */
  readonly lockTimeoutMs: number;
  /** What else must be brought up to date under the same lock. */
  readonly also?: (url: string) => Promise<void>;
}

/**
 * Brings the database up to date. Of several nodes that start at once one migrates and the others wait.
 * @throws AppError DATABASE_UNAVAILABLE when the lock is not free in time, ConfigError for a server that is too old.
 */
export async function migrate(url: string, { connectTimeoutMs, lockTimeoutMs, also }: MigrateOptions): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await assertServerVersion(client);
    await takeLock(client, lockTimeoutMs);
    await applyMigrations(drizzle(client), { migrationsFolder });
    await also?.(url);
  } finally {
    await client.end();
  }
}

// Asked for again and again, because one who waits inside PostgreSQL holds a snapshot, for whose end CREATE INDEX
// CONCURRENTLY of the one who migrates would wait for ever.
async function takeLock(client: pg.Client, lockTimeoutMs: number): Promise<void> {
  const endMs = performance.now() + lockTimeoutMs;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [lockKey]);
    if (rows[0]?.taken === true) return;
    if (performance.now() > endMs) {
      throw new AppError("DATABASE_UNAVAILABLE", { detail: "Another node has been migrating it for too long." });
    }
    await sleep(retryMs);
  }
}
