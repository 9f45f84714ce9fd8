import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { isAlive, until } from "./processes.ts";
import { createTestDatabase, type TestDatabaseOptions } from "./test-database.ts";
import { joinTestServer, leaveTestServer, testDatabaseName, testServerFolder } from "./test-server.ts";
import { withClient } from "./with-client.ts";

// What takes a second takes many where other work fills the machine.
vi.setConfig({ testTimeout: 300_000 });

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "test-database-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

const query = async (url: string, sql: string): Promise<unknown> =>
  withClient(url, async (client) => (await client.query(sql)).rows);

/** Migrations of this test alone, and a list of the times they ran. */
function makeMigrations(): Required<TestDatabaseOptions> & { readonly runs: () => number } {
  const migrationsFolder = mkdtempSync(join(folder, "migrations-"));
  const calls = `${migrationsFolder}.calls`;
  writeFileSync(calls, "");
  writeFileSync(join(migrationsFolder, "0001.sql"), `CREATE TABLE t (n int); -- ${migrationsFolder}`);
  return {
    migrationsFolder,
    runs: () => readFileSync(calls, "utf8").length,
    migrate: async (url) => {
      appendFileSync(calls, "x");
      await query(url, readFileSync(join(migrationsFolder, "0001.sql"), "utf8"));
    },
  };
}

test("databases asked for at once are separate copies of one template, migrated once", async () => {
  const { runs, ...options } = makeMigrations();

  const databases = await Promise.all([1, 2, 3].map(() => createTestDatabase(options)));

  expect(runs()).toBe(1);
  await query(databases[0]?.url ?? "", "INSERT INTO t VALUES (1)");
  expect(await query(databases[1]?.url ?? "", "SELECT * FROM t")).toEqual([]);
  for (const database of databases) await database.drop();
});

test("changed migrations make another template", async () => {
  const { runs, ...options } = makeMigrations();
  await using first = await createTestDatabase(options);
  writeFileSync(join(options.migrationsFolder, "0002.sql"), "");
  await using second = await createTestDatabase(options);
  expect(first.url).not.toBe(second.url);
  expect(runs()).toBe(2);
});

test("a migration that fails leaves no template behind", async () => {
  const { runs, migrate, migrationsFolder } = makeMigrations();
  const fail = async (url: string): Promise<void> => {
    await migrate(url);
    throw new Error("no");
  };
  await expect(createTestDatabase({ migrate: fail, migrationsFolder })).rejects.toThrow("no");
  await using database = await createTestDatabase({ migrate, migrationsFolder });
  expect(await query(database.url, "SELECT * FROM t")).toEqual([]);
  expect(runs()).toBe(2);
});

test("a dropped database is gone, whoever is connected", async () => {
  const database = await createTestDatabase();
  await withClient(database.url, () => database.drop());
  await expect(query(database.url, "SELECT 1")).rejects.toThrow(/does not exist/);
});

test.skipIf(process.env["DATABASE_URL"] !== undefined)(
  "the server is that of the run, not of this worker",
  async () => {
    await using database = await createTestDatabase();
    expect(new URL(database.url).searchParams.get("host")).toContain(testServerFolder.split("/").at(-1));
    expect(Number(process.env["TEST_RUN_PID"])).not.toBe(process.pid);
  },
);

test("a run that is killed leaves no server, and the next removes its databases", async () => {
  const serverFolder = join(folder, "server");
  const module = join(import.meta.dirname, "test-server.ts");
  const code = `
    import { joinTestServer } from ${JSON.stringify(module)};
    const url = await joinTestServer(${JSON.stringify(serverFolder)}, process.pid);
    process.stdout.write(url + "\\n");
    setInterval(() => {}, 1000);`;
  const run = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void run.kill("SIGKILL"));
  const [line] = (await once(run.stdout, "data")) as [Buffer];
  const url = line.toString().trim();
  const left = testDatabaseName(run.pid ?? 0, "left");
  await query(url, `CREATE DATABASE "${left}"`);
  const pid = Number(readFileSync(join(serverFolder, "cluster/postmaster.pid"), "utf8").split("\n")[0]);

  run.kill("SIGKILL");

  await until(() => !isAlive(pid), 120_000, "the server has ended");
  const next = await joinTestServer(serverFolder, process.pid);
  const names = await query(next, `SELECT datname FROM pg_database WHERE datname = '${left}'`);
  await leaveTestServer(serverFolder, process.pid);
  expect(names).toEqual([]);
});
