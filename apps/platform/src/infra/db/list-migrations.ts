import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Queries } from "./create-database.ts";

const journal = join(import.meta.dirname, "../../../drizzle/meta/_journal.json");

export interface Migrations {
  /** Of this version of the program, each by the moment when it was made. */
  readonly known: readonly number[];
  readonly missing: readonly number[];
  /** Those of the database that this version does not know: a newer one has run on it. */
  readonly unknown: readonly number[];
}

/** Compares the migrations of this version with those that the database has. */
export async function listMigrations(queries: Queries): Promise<Migrations> {
  const { entries } = JSON.parse(await readFile(journal, "utf8")) as { entries: readonly { when: number }[] };
  const known = new Set(entries.map(({ when }) => when));
  const applied = new Set(await listApplied(queries));
  return {
    known: [...known],
    missing: [...known.difference(applied)],
    unknown: [...applied.difference(known)],
  };
}

async function listApplied(queries: Queries): Promise<number[]> {
  const table = sql`to_regclass('drizzle.__drizzle_migrations')`;
  const found = await queries.execute<{ isThere: boolean }>(sql`select ${table} is not null as "isThere"`);
  if (found.rows[0]?.isThere !== true) return [];
  const { rows } = await queries.execute<{ at: string }>(
    sql`select created_at::text as at from drizzle.__drizzle_migrations`,
  );
  return rows.map(({ at }) => Number(at));
}
