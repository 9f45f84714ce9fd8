import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMarkAlive, markOf } from "@attune/service-kit/postgres/process-mark.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  stopEmbeddedPostgres,
} from "@attune/service-kit/postgres/start-embedded-postgres.ts";
import { withClient } from "./with-client.ts";

/** Where the database server of all test runs in this checkout lies. */
export const testServerFolder = join(import.meta.dirname, "../../../.work/test-postgres");

/** Begins the name of every database that a test made; the mark of the run that made it follows. */
export const testDatabasePrefix = "attune_test_";
export const templatePrefix = "attune_template_";
const maxTemplates = 8;

// What tests write need not survive a crash of the machine, and waiting for the disk is most of what they would do.
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
  shared_buffers: "64MB",
};

/**
 * Joins the server of the test runs, which the first test that asks starts, for the life of the run.
 * @param runPid the process of the run: the server ends when its teardown leaves or, if it is killed, soon after
 * @returns URL of a database to ask for others
 */
export async function joinTestServer(folder: string, runPid: number): Promise<string> {
  const server = await startOrRenew(folder, runPid);
  if (!server.isAdopted) await removeRemains(server.url);
  return server.url;
}

/** Leaves the server, if the run has joined it; it ends with the last run that used it. Does nothing where no test asked. */
export async function leaveTestServer(folder: string, runPid: number): Promise<void> {
  if (existsSync(join(folder, "users"))) await stopEmbeddedPostgres(folder, runPid);
}

// Without fsync a crash of the machine may leave a cluster that does not start; nothing in it is worth keeping.
async function startOrRenew(folder: string, userPid: number): Promise<EmbeddedPostgres> {
  try {
    return await startEmbeddedPostgres({ folder, userPid, settings });
  } catch {
    rmSync(join(folder, "cluster"), { recursive: true, force: true });
    return startEmbeddedPostgres({ folder, userPid, settings });
  }
}

// A run that was killed leaves its databases, and migrations that have changed since leave their templates.
async function removeRemains(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>("SELECT datname FROM pg_database ORDER BY oid");
    const names = rows.map(({ datname }) => datname);
    const left = names.filter((name) => name.startsWith(testDatabasePrefix) && !isMarkAlive(markIn(name)));
    const templates = names.filter((name) => name.startsWith(templatePrefix)).slice(0, -maxTemplates);
    for (const name of [...left, ...templates]) await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  });
}

/** The name of a test database of this run. */
export function testDatabaseName(runPid: number, suffix: string): string {
  return `${testDatabasePrefix}${markOf(runPid).replace("-", "_")}_${suffix}`;
}

function markIn(name: string): string {
  return name.slice(testDatabasePrefix.length).split("_").slice(0, 2).join("-");
}
