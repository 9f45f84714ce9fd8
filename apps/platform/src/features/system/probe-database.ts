import { oldestPostgresVersion } from "@attune/service-kit/postgres/oldest-version.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../../infra/db/create-database.ts";
import { listMigrations } from "../../infra/db/list-migrations.ts";
import { pingDatabase } from "../../infra/db/ping-database.ts";
import type { FactsOf, Finding, ProbeOf } from "./probe.ts";

const slowMs = 500;

/** Asks the database for its version, size and migrations, over the pool that requests use. */
export function createDatabaseProbe({ queries, pool }: Database): ProbeOf<"database"> {
  return {
    part: "database",
    unavailable: "DATABASE_UNAVAILABLE",
    run: async () => {
      // Before the probe itself takes a connection or waits for one.
      const connections = {
        connections_in_use: pool.totalCount - pool.idleCount,
        connections_idle: pool.idleCount,
        connections_max: pool.options.max,
        requests_waiting: pool.waitingCount,
      };
      const startMs = performance.now();
      await pingDatabase(queries);
      const latencyMs = performance.now() - startMs;
      const { rows } = await queries.execute<{ number: number; version: string; size: string }>(sql`
        select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
          pg_database_size(current_database())::text as size`);
      const { number, version, size } = rows[0] ?? { number: 0, version: "", size: "0" };
      const migrations = await listMigrations(queries);
      const facts = {
        server_version: version,
        latency_ms: Math.round(latencyMs),
        size_bytes: Number(size),
        migrations_known: migrations.known.length,
        migrations_applied: migrations.known.length - migrations.missing.length,
        ...connections,
      };
      const observed = { isTooOld: number < oldestPostgresVersion, unknown: migrations.unknown.length };
      return { facts, findings: judgeDatabase(facts, observed) };
    },
  };
}

interface Observed {
  readonly isTooOld: boolean;
  /** Migrations of the database that this version does not know. */
  readonly unknown: number;
}

export function judgeDatabase(facts: FactsOf<"database">, { isTooOld, unknown }: Observed): Finding[] {
  const missing = facts.migrations_known - facts.migrations_applied;
  const { server_version: version, latency_ms: latencyMs, requests_waiting: waiting } = facts;
  return [
    ...(isTooOld ? [{ reason: "DATABASE_TOO_OLD", state: "failing", detail: `It is ${version}.` } as const] : []),
    ...(missing > 0
      ? [{ reason: "MIGRATIONS_MISSING", state: "failing", detail: `${missing} are missing.` } as const]
      : []),
    ...(unknown > 0
      ? [{ reason: "MIGRATIONS_UNKNOWN", state: "degraded", detail: `${unknown} are unknown.` } as const]
      : []),
    ...(latencyMs >= slowMs
      ? [{ reason: "DATABASE_SLOW", state: "degraded", detail: `It took ${latencyMs} ms.` } as const]
      : []),
    ...(waiting > 0
      ? [{ reason: "CONNECTIONS_EXHAUSTED", state: "degraded", detail: `${waiting} wait.` } as const]
      : []),
  ];
}
