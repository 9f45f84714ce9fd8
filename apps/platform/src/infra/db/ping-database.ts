import { sql } from "drizzle-orm";
import type { Queries } from "./create-database.ts";

/** Asks the database for the smallest thing that the platform needs of it: a table of its own. */
export async function pingDatabase(queries: Queries): Promise<void> {
  await queries.execute(sql`select 1 from tenants limit 1`);
}
