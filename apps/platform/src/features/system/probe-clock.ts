import { sql } from "drizzle-orm";
import type { Database } from "../../infra/db/create-database.ts";
import type { FactsOf, Finding, ProbeOf } from "./probe.ts";

const degradedMs = 2000;
const failingMs = 60_000;

/** Compares the clock of this node with the database's, which all nodes share. */
export function createClockProbe({ queries }: Pick<Database, "queries">, nowMs = Date.now): ProbeOf<"clock"> {
  return {
    part: "clock",
    unavailable: "DATABASE_UNAVAILABLE",
    run: async () => {
      const beforeMs = nowMs();
      const { rows } = await queries.execute<{ now: number }>(
        sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
      );
      const afterMs = nowMs();
      // The database looked at its clock somewhere between.
      const facts = {
        skew_ms: Math.round((beforeMs + afterMs) / 2 - (rows[0]?.now ?? Number.NaN)),
        uncertainty_ms: Math.ceil(Math.abs(afterMs - beforeMs) / 2),
      };
      return { facts, findings: judgeClock(facts) };
    },
  };
}

/** Judges what is certain of the difference. */
export function judgeClock({ skew_ms: skewMs, uncertainty_ms: uncertaintyMs }: FactsOf<"clock">): Finding[] {
  const certainMs = Math.abs(skewMs) - uncertaintyMs;
  if (certainMs < degradedMs) return [];
  const detail = `This node is ${(Math.abs(skewMs) / 1000).toFixed(1)} seconds ${skewMs > 0 ? "ahead" : "behind"}.`;
  return [{ reason: "CLOCK_SKEWED", state: certainMs < failingMs ? "degraded" : "failing", detail }];
}
