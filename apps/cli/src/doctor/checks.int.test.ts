import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, createServer, type Server } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "@attune/testkit/test-database.ts";
import { withClient } from "@attune/testkit/with-client.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadConfig } from "../config.ts";
import { printCheck } from "./check.ts";
import { checkDatabase } from "./check-database.ts";
import { checkEmbeddedDatabase, judgeCluster } from "./check-embedded-database.ts";
import { checkDisk, checkFolder, checkNode, checkPorts } from "./check-machine.ts";
import { checkNodeAgent } from "./check-node-agent.ts";
import { checkParser } from "./check-parser.ts";
import { checkPlatform } from "./check-platform.ts";

// What takes a second takes many where other work fills the machine.
vi.setConfig({ testTimeout: 300_000 });

async function listen(server: Server | HttpServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("a check is one line, with what to do where something is wrong", () => {
  expect(printCheck(checkNode("24.1.0"))).toBe("ok    Node 24.1.0.");
  expect(printCheck(checkNode("20.19.0"))).toMatch(/^fail {2}Node 20\.19\.0 is older than 24\. Start with `npm start`/);
});

test("disk space is judged by what the database and files need", () => {
  const gib = 1 << 30;
  expect([gib / 4, 2 * gib, 20 * gib].map((bytes) => checkDisk(bytes, "/data").state)).toEqual(["fail", "warn", "ok"]);
});

test("a data folder that does not exist yet is judged by the folder it will be made in", () => {
  expect(checkFolder(`${import.meta.dirname}/no/such/folder`).state).toBe("ok");
  const [{ state, text }, file] = [checkFolder(`${import.meta.filename}/data`), import.meta.filename];
  expect([state, text]).toEqual(["fail", expect.stringContaining(`nothing can be made in ${file} (ENOTDIR)`)]);
});

test("a port in use is told with the setting that changes it", async () => {
  const port = await listen(createServer());
  const config = loadConfig(
    { ATTUNE_PORT: String(port), ATTUNE_PARSER_PORT: String(port), ATTUNE_NODE_PORT: String(port) },
    "/",
  );
  expect((await checkPorts(config, 0)).map(printCheck)).toEqual([
    `fail  Port ${port} of 127.0.0.1, for the web app, is in use. Stop the program that has it, or set ATTUNE_PORT to another port.`,
    `fail  Port ${port} of 127.0.0.1, for the parser, is in use. Stop the program that has it, or set ATTUNE_PARSER_PORT to another port.`,
    `fail  Port ${port} of 127.0.0.1, for the node agent, is in use. Stop the program that has it, or set ATTUNE_NODE_PORT to another port.`,
  ]);
});

test("a port that becomes free is waited for", async () => {
  const server = createServer();
  const port = await listen(server);
  const config = loadConfig({ ATTUNE_PORT: "1", ATTUNE_PARSER_PORT: String(port), ATTUNE_NODE_PORT: "1" }, "/");
  const checking = checkPorts({ ...config, host: "127.0.0.1" }, 60_000);
  server.close();
  expect((await checking).some(({ state }) => state === "ok")).toBe(true);
});

test.each([
  ["serves", Buffer.from([0, 0, 0, 0, 2, 8, 1]), "ok"],
  ["cannot parse at present", Buffer.from([0, 0, 0, 0, 2, 8, 2]), "fail"],
])("a parser that %s is told", async (_, answer, state) => {
  const server = createHttp2Server();
  server.on("stream", (stream, { ":path": path }) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(path === "/grpc.health.v1.Health/Check" ? answer : undefined);
  });
  const port = await listen(server);
  expect(await checkParser(`http://127.0.0.1:${port}`)).toMatchObject({ state });
});

test("what does not answer is told with why", async () => {
  const server = createServer();
  const port = await listen(server);
  server.close();
  expect((await checkParser(`http://127.0.0.1:${port}`)).text).toContain("ECONNREFUSED");
  expect((await checkPlatform(`http://127.0.0.1:${port}`)).text).toContain("ECONNREFUSED");
});

test.each([
  [200, "ok"],
  [503, "fail"],
])("a platform that answers %i is %s", async (status, state) => {
  const port = await listen(createHttpServer((_, response) => response.writeHead(status).end()));
  expect(await checkPlatform(`http://127.0.0.1:${port}`)).toMatchObject({ state });
});

test("a platform that lives and cannot do its work is told", async () => {
  const port = await listen(
    createHttpServer(({ url }, response) => response.writeHead(url === "/readyz" ? 503 : 200).end()),
  );
  const check = await checkPlatform(`http://127.0.0.1:${port}`);
  expect(check).toMatchObject({ state: "fail", text: expect.stringContaining("cannot do its work (status 503)") });
});

const nodeHealth = {
  state: "degraded",
  findings: [
    {
      reason: "NO_JOB_ENGINE",
      state: "degraded",
      sentence: "The node can run no jobs.",
      remedy: "Run `npm run setup:python`.",
      detail: null,
    },
    { reason: "DISK_SPACE_LOW", state: "failing", sentence: "It is full.", remedy: "Make room.", detail: "0 GiB." },
  ],
  node: "here",
  version: "0.1.0",
  platform: "linux",
  node_version: "v24",
  started_at: "2026-01-01T00:00:00Z",
  uptime_seconds: 1,
  checked_at: "2026-01-01T00:00:00Z",
  cpus: 2,
  memory_total_bytes: 2,
  memory_available_bytes: 1,
  storage: null,
  gpus: {
    provider: "simulation",
    is_simulated: true,
    driver: null,
    cuda: null,
    taken_at: null,
    fault: null,
    note: null,
    total: 4,
    free: 4,
    reserved: 0,
    busy: 0,
    foreign: 0,
    faulty: 0,
    names: [],
    memory_total_mb: null,
    memory_used_mb: null,
  },
  engines: [],
  schedulers: [],
  jobs: { queued: 0, starting: 0, running: 0, stopping: 0 },
  models: [],
  active_count: 0,
};

test("a node agent is asked with its token, and each of its findings is a line with what to do", async () => {
  const server = createHttpServer(({ headers }, response) => {
    const isKnown = headers.authorization === "Bearer right";
    response.writeHead(isKnown ? 200 : 401).end(isKnown ? JSON.stringify(nodeHealth) : "{}");
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  expect((await checkNodeAgent(origin, "right")).map(printCheck)).toEqual([
    `ok    The node agent serves on ${origin}: 4 simulated GPUs, no engine.`,
    "warn  The node: The node can run no jobs. Run `npm run setup:python`.",
    "fail  The node: It is full. 0 GiB. Make room.",
  ]);
  expect((await checkNodeAgent(origin, "wrong")).map(printCheck)[0]).toMatch(/^fail .* status 401.*NODE_AGENT_TOKEN/);
});

test("what is no node agent, or is not there, is told", async () => {
  const port = await listen(createHttpServer((_, response) => response.writeHead(200).end("{}")));
  expect(await checkNodeAgent(`http://127.0.0.1:${port}`, undefined)).toMatchObject([{ state: "fail" }]);
  const gone = createServer();
  const free = await listen(gone);
  gone.close();
  const [check] = await checkNodeAgent(`http://127.0.0.1:${free}`, undefined);
  expect(check).toMatchObject({ state: "fail", text: expect.stringContaining("ECONNREFUSED") });
});

test("an embedded database is judged by the version that made it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "attune-cluster-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(judgeCluster(folder, "18.4", false)).toMatchObject({ state: "ok", text: expect.stringContaining("yet") });
  mkdirSync(join(folder, "cluster"));
  writeFileSync(join(folder, "cluster/PG_VERSION"), "18\n");
  expect(judgeCluster(folder, "18.4", false)).toMatchObject({
    state: "ok",
    text: expect.stringContaining("not running"),
  });
  expect(judgeCluster(folder, "19.0", false)).toMatchObject({
    state: "fail",
    remedy: expect.stringContaining("pg_dump"),
  });
  // The one that npm installed, where there is one for this machine.
  expect((await checkEmbeddedDatabase(folder, AbortSignal.timeout(60_000))).text).toMatch(/PostgreSQL/);
});

test("a database is asked for its version and its migrations, and its URL is never shown", async () => {
  await using database = await createTestDatabase();
  const [version, migrations] = await checkDatabase(database.url);
  expect(version).toMatchObject({ state: "ok", text: expect.stringMatching(/PostgreSQL \d+/) });
  expect(migrations).toMatchObject({ state: "warn", text: expect.stringMatching(/^(\d+) of \1 migrations are not/) });
  await withClient(database.url, (client) =>
    client.query("CREATE SCHEMA drizzle; CREATE TABLE drizzle.__drizzle_migrations (created_at bigint)"),
  );
  expect((await checkDatabase(database.url))[1]).toMatchObject({ state: "warn" });

  const [gone] = await checkDatabase("postgres://user:topsecret@127.0.0.1:1/none");
  expect(gone).toMatchObject({ state: "fail", remedy: expect.stringContaining("DATABASE_URL") });
  expect(JSON.stringify(gone)).not.toContain("topsecret");
});
