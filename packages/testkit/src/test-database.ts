import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { joinTestServer, templatePrefix, testDatabaseName, testServerFolder } from "./test-server.ts";
import { withClient } from "./with-client.ts";

export interface TestDatabaseOptions {
  /** Makes the tables. */
  readonly migrate?: (url: string) => Promise<void>;
  /**
   * The folder of the files that `migrate` applies. With it `migrate` runs once for these files on a server, and every
   * database is a copy of the result; without it `migrate` runs on every database.
   */
  readonly migrationsFolder?: string;
}

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /** Removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

/**
 * Makes an empty database for one test file, on the server of `DATABASE_URL` where that is set, else on an embedded one that
 * the first caller starts and the end of the test run stops. A run that is killed loses the server soon after, and the next
 * one removes its databases; on a server of `DATABASE_URL` they stay.
 */
export async function createTestDatabase({
  migrate,
  migrationsFolder,
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const serverUrl = await (server ??= findServer());
  const name = testDatabaseName(runPid, randomBytes(5).toString("hex"));
  const url = withDatabase(serverUrl, name);
  if (migrate !== undefined && migrationsFolder !== undefined) {
    const template = await withClient(serverUrl, (client) =>
      makeTemplate(client, { serverUrl, migrate, hash: hashFolder(migrationsFolder) }),
    );
    await withClient(serverUrl, (client) => createDatabase(client, name, template));
  } else {
    await withClient(serverUrl, (client) => createDatabase(client, name, "template0"));
    await migrate?.(url);
  }
  const drop = async (): Promise<void> => {
    await withClient(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
  };
  return { url, drop, [Symbol.asyncDispose]: drop };
}

// Set by the run's global setup; a program that is no test run is one of its own.
const runPid = Number(process.env["TEST_RUN_PID"] ?? process.pid);
let server: Promise<string> | undefined;

function findServer(): Promise<string> {
  const given = process.env["DATABASE_URL"];
  return given ? Promise.resolve(given) : joinTestServer(testServerFolder, runPid);
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

function hashFolder(folder: string): string {
  const hash = createHash("sha256");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  for (const name of names.filter((path) => statSync(join(folder, path)).isFile()))
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update("\0");
  return hash.digest("hex").slice(0, 20);
}

interface TemplateRequest {
  readonly serverUrl: string;
  readonly migrate: (url: string) => Promise<void>;
  readonly hash: string;
}

/** Makes the template unless it is there: under a scratch name and a lock, so that it is never seen half-migrated. */
async function makeTemplate(client: Client, { serverUrl, migrate, hash }: TemplateRequest): Promise<string> {
  const template = `${templatePrefix}${hash}`;
  const scratch = `attune_making_${hash}`;
  const lockKey = Number.parseInt(hash.slice(0, 12), 16);
  if (await isThere(client, template)) return template;
  while (!(await hasLock(client, lockKey))) await sleep(50);
  if (await isThere(client, template)) return template;
  await client.query(`DROP DATABASE IF EXISTS "${scratch}" WITH (FORCE)`);
  await createDatabase(client, scratch, "template0");
  await migrate(withDatabase(serverUrl, scratch));
  await client.query(`ALTER DATABASE "${scratch}" WITH ALLOW_CONNECTIONS false`);
  await whenUnused(() => client.query(`ALTER DATABASE "${scratch}" RENAME TO "${template}"`));
  return template;
}

async function isThere(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
  return rowCount === 1;
}

// It ends with the connection.
async function hasLock(client: Client, key: number): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [key]);
  return rows[0]?.taken === true;
}

async function createDatabase(client: Client, name: string, template: string): Promise<void> {
  await whenUnused(() => client.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`));
}

/** Connections that were just closed linger on the server for a moment, and bar what wants a database to itself. */
async function whenUnused(query: () => Promise<unknown>): Promise<void> {
  for (const endMs = performance.now() + 30_000; ; await sleep(100)) {
    try {
      await query();
      return;
    } catch (error) {
      const isUsed = error instanceof Error && "code" in error && error.code === "55006";
      if (!isUsed || performance.now() > endMs) throw error;
    }
  }
}
