import { oldestPostgresVersion } from "@attune/service-kit/postgres/oldest-version.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { repositoryFolder } from "../repository.ts";
import type { Check } from "./check.ts";

const timeoutMs = 5000;

/** Whether the database answers, and is as new as the programs. The URL may hold a password and is never shown. */
export async function checkDatabase(url: string): Promise<readonly Check[]> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return [await checkVersion(client), await checkMigrations(client)];
  } catch (error) {
    const why = error instanceof Error ? error.message || String(error) : String(error);
    const remedy = "See that the server runs and DATABASE_URL names it, its database, a user and a password.";
    return [{ state: "fail", text: `The database does not answer: ${why}.`, remedy }];
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function checkVersion(client: Client): Promise<Check> {
  const { rows } = await client.query<{ number: string; version: string }>(
    "SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version",
  );
  const { number, version } = rows[0] ?? { number: "0", version: "?" };
  if (Number(number) >= oldestPostgresVersion)
    return { state: "ok", text: `The database answers, PostgreSQL ${version}.` };
  return { state: "fail", text: `The database server is PostgreSQL ${version}.`, remedy: "Take 15 or newer." };
}

// The platform's migrations write what they applied into this table; the journal lists what there is to apply.
async function checkMigrations(client: Client): Promise<Check> {
  const known = listMigrations();
  const applied = new Set((await listApplied(client)).map(Number));
  const missing = known.filter((when) => !applied.has(when)).length;
  if (missing === 0) return { state: "ok", text: `The database is up to date, ${known.length} migrations.` };
  const remedy = "`npm start` applies them, as does `node apps/platform/src/main.ts migrate`.";
  return { state: "warn", text: `${missing} of ${known.length} migrations are not applied yet.`, remedy };
}

async function listApplied(client: Client): Promise<readonly string[]> {
  const table = "drizzle.__drizzle_migrations";
  const { rows } = await client.query<{ there: boolean }>("SELECT to_regclass($1) IS NOT NULL AS there", [table]);
  if (rows[0]?.there !== true) return [];
  const applied = await client.query<{ created_at: string }>(`SELECT created_at FROM ${table}`);
  return applied.rows.map(({ created_at }) => created_at);
}

function listMigrations(): readonly number[] {
  const journal = readFileSync(join(repositoryFolder, "apps/platform/drizzle/meta/_journal.json"), "utf8");
  return (JSON.parse(journal) as { entries: { when: number }[] }).entries.map(({ when }) => when);
}
