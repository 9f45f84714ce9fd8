import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { isProcessAlive } from "./process-mark.ts";
import { findServerBinaries } from "./server-binaries.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./start-embedded-postgres.ts";

// What takes a second takes many where other work fills the machine.
vi.setConfig({ testTimeout: 300_000 });

let folder = "";
let servers: EmbeddedPostgres[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "embedded-postgres-"));
});

afterEach(async () => {
  for (const server of servers) await server.stop();
  servers = [];
  rmSync(folder, { recursive: true, force: true });
});

// fsync stays on: what is shown here is what users have.
async function start(options: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ folder, ...options });
  servers.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

async function untilDead(pid: number): Promise<void> {
  for (const endMs = performance.now() + 120_000; isProcessAlive(pid); await sleep(20)) {
    if (performance.now() > endMs) throw new Error(`process ${pid} did not end`);
  }
}

test("a server is made, reached through its socket only, ended, and opened again with its data", async () => {
  const first = await start();
  const [facts] = await query(
    first.url,
    `SELECT current_setting('listen_addresses') AS tcp, current_setting('data_checksums') AS checksums,
            current_setting('fsync') AS fsync, pg_encoding_to_char(encoding) AS encoding, datlocale
     FROM pg_database WHERE datname = current_database()`,
  );
  expect(facts).toEqual({ tcp: "", checksums: "on", fsync: "on", encoding: "UTF8", datlocale: "C.UTF-8" });
  await query(first.url, "CREATE TABLE notes AS SELECT 'Ebbe und Flut, 潮汐' AS text");
  await first.stop();
  expect(isProcessAlive(first.pid)).toBe(false);

  const second = await start();

  expect(second.isAdopted).toBe(false);
  expect(await query(second.url, "SELECT text FROM notes")).toEqual([{ text: "Ebbe und Flut, 潮汐" }]);
});

test("a socket's path that would be too long lies elsewhere, for this user alone", async () => {
  const { url } = await start({ folder: join(folder, "a-long-name-of-a-folder".repeat(4), "attune") });

  const path = join(new URL(url).searchParams.get("host") ?? "", ".s.PGSQL.5432");

  expect(path.startsWith(folder)).toBe(false);
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
  rmSync(join(path, ".."), { recursive: true });
});

test("who comes later joins the server, and the last one ends it", async () => {
  const first = await start();
  const second = await start();
  expect([second.pid, second.url, second.isAdopted]).toEqual([first.pid, first.url, true]);

  await first.stop();
  expect(await query(second.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await second.stop();
  expect(isProcessAlive(first.pid)).toBe(false);
});

test("of many starters on an empty folder one launches the server and the others join it", async () => {
  const joined = await Promise.all(Array.from({ length: 4 }, () => start()));

  expect(new Set(joined.map(({ pid }) => pid)).size).toBe(1);
  expect(joined.filter(({ isAdopted }) => !isAdopted)).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => name.startsWith("cluster"))).toEqual(["cluster"]);
});

test("kill -9 of the server while it writes loses nothing that it acknowledged", async () => {
  const server = await start();
  await query(server.url, "CREATE TABLE numbers (n integer)");
  const acknowledged: number[] = [];
  const writers = Array.from({ length: 3 }, async (_, writer) => {
    const client = new Client({ connectionString: server.url });
    client.on("error", () => undefined);
    await client.connect();
    for (let count = 0; ; count++) {
      await client.query("INSERT INTO numbers VALUES ($1)", [count * 3 + writer]);
      acknowledged.push(count * 3 + writer);
      if (acknowledged.length === 200) process.kill(server.pid, "SIGKILL");
    }
  });
  const ends = await Promise.allSettled(writers);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);

  const again = await start();

  const rows = await query(again.url, "SELECT n FROM numbers");
  const kept = new Set(rows.map(({ n }) => n));
  expect(acknowledged.length).toBeGreaterThanOrEqual(200);
  expect(acknowledged.filter((n) => !kept.has(n))).toEqual([]);
});

/** Another program that runs the server until it is killed. */
async function startElsewhere(): Promise<{ readonly child: ChildProcess; readonly serverPid: number }> {
  const module = join(import.meta.dirname, "start-embedded-postgres.ts");
  const code = `
    import { startEmbeddedPostgres } from ${JSON.stringify(module)};
    const { pid } = await startEmbeddedPostgres({ folder: ${JSON.stringify(folder)} });
    process.stdout.write(pid + "\\n");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [pid] = (await once(child.stdout, "data")) as [Buffer];
  return { child, serverPid: Number(pid.toString()) };
}

test("kill -9 of the only program that needs the server ends the server, too", async () => {
  const { child, serverPid } = await startElsewhere();
  child.kill("SIGKILL");
  await untilDead(serverPid);
  expect(readFileSync(join(folder, "postgres.log"), "utf8")).toContain("database system is shut down");
});

test("kill -9 of one program leaves the server to those that joined it", async () => {
  const { child, serverPid } = await startElsewhere();
  const server = await start();
  child.kill("SIGKILL");
  await once(child, "exit");
  await sleep(2500); // longer than the guard takes to look round
  expect([server.pid, server.isAdopted]).toEqual([serverPid, true]);
  expect(await query(server.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

test("what a kill left behind is no hindrance: half a cluster, and the number of a process that is another's now", async () => {
  const first = await start();
  await first.stop();
  mkdirSync(join(folder, "cluster.1-1-deadbeef/base"), { recursive: true });
  mkdirSync(join(folder, "users"));
  writeFileSync(join(folder, "users/1-1"), "");
  writeFileSync(
    join(folder, "cluster/postmaster.pid"),
    `${process.pid}\n${folder}/cluster\n1\n5432\n/tmp\n\n1 1\nready\n`,
  );

  const server = await start();

  expect(server.isAdopted).toBe(false);
  expect(await query(server.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  expect(readdirSync(folder).toSorted()).toEqual(["cluster", "postgres.log", "socket", "users"]);
  await server.stop();
  expect(isProcessAlive(server.pid)).toBe(false);
});

test("a folder that holds something else is left as it is", async () => {
  mkdirSync(join(folder, "cluster"));
  writeFileSync(join(folder, "cluster/letter.txt"), "dear");
  await expect(start()).rejects.toThrow(/cluster is in use, but it holds no database\. Move what is in it elsewhere/);
  expect(readdirSync(folder)).toEqual(["cluster"]);
});

test("a server that cannot start says why, and leaves nothing running", async () => {
  await expect(start({ settings: { shared_buffers: "many" } })).rejects.toThrow(
    /did not start: .*invalid value for parameter "shared_buffers": "many".*postgres\.log.*DATABASE_URL/,
  );
  writeFileSync(join(folder, "cluster/PG_VERSION"), "15\n");
  await expect(start()).rejects.toThrow(/did not start: .*initialized by PostgreSQL version 15/);
  expect(readdirSync(folder)).not.toContain("users");
});

test("a start that is given up leaves nothing running", async () => {
  const controller = new AbortController();
  const starting = start({ signal: controller.signal });
  controller.abort();
  await expect(starting).rejects.toThrow(/abort/i);
  expect(readdirSync(folder).filter((name) => name !== "postgres.log" && name !== "socket")).toEqual([]);
});

test("a machine without binaries is told of DATABASE_URL", () => {
  expect(() => findServerBinaries("win32-x64")).toThrow(/no embedded PostgreSQL for win32-x64\. Set DATABASE_URL/);
});
