import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Queries } from "./create-database.ts";

const journal = join(import.meta.dirname, "../../../drizzle/meta/_journal.json");

export interface Migrations {
  /** Of this version of the program. */
  readonly known: readonly number[];
  /** Those that the database has. */
  readonly applied: readonly number[];
}

/** The migrations of this version and those of the database, each by the moment when it was made. */
export async function listMigrations(queries: Queries): Promise<Migrations> {
  const { entries } = JSON.parse(await readFile(journal, "utf8")) as { entries: readonly { when: number }[] };
  const { rows } = await queries.execute<{ at: string }>(
    sql`select created_at::text as at from drizzle.__drizzle_migrations`,
  );
  return { known: entries.map(({ when }) => when), applied: rows.map(({ at }) => Number(at)) };
}
