import { Client } from "pg";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/**
 * Creates a database unless it is there, as any number of programs may do at once.
 * @param url of another database of the server
 * @returns `made`, or why the server does not answer yet
 * @throws EmbeddedPostgresError with what the server says for good.
 */
export async function makeDatabase(url: string, name: string): Promise<string> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)} TEMPLATE template0`);
    return "made";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (existing.has(code)) return "made";
    if (unready.has(code)) return error instanceof Error ? error.message : code;
    throw new EmbeddedPostgresError(
      `The database ${name} cannot be had: ${error instanceof Error ? error.message : code}.`,
      "See postgres.log in its folder.",
      error,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

const existing: ReadonlySet<string> = new Set(["42P04", "23505"]);
// Starting up or shutting down (57P03), ended meanwhile (57P01), all connections taken (53300); no socket, or nobody behind it.
const unready: ReadonlySet<string> = new Set([
  "57P03",
  "57P01",
  "53300",
  "ENOENT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
]);
