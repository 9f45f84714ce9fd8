import { once } from "node:events";
import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDataset, uploadDatasetFile } from "@attune/contracts/rest/datasets.ts";
import {
  getSystemHealth,
  getSystemStatus,
  getSystemStorage,
  getTenantStorage,
  type HealthPart,
} from "@attune/contracts/rest/system.ts";
import { withClient } from "@attune/testkit/with-client.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../../config.ts";
import { openObjectStores } from "../../infra/storage/object-stores.ts";
import { startTestPlatform, type TestPlatform, type TestUser } from "../../testing/start-test-platform.ts";
import { verifyAndRecord } from "../storage/index.ts";

let run: TestPlatform;
let folder: string;
let viewer: TestUser;
/** What the parser says of itself. */
let parserState = 1;
const parser = createServer();

beforeAll(async () => {
  parser.on("stream", (stream) => {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 8, parserState]));
  });
  parser.listen(0, "127.0.0.1");
  await once(parser, "listening");
  folder = await mkdtemp(join(tmpdir(), "attune-system-"));
  run = await startTestPlatform({
    PLATFORM_STORE_PATH: folder,
    PLATFORM_INLINE_MAX_KIB: "0",
    PLATFORM_PARSER_URL: `http://127.0.0.1:${(parser.address() as AddressInfo).port}`,
  });
  const { body } = await run.operator.client.call(createDataset, { body: { name: "Kept" } });
  const upload = '{"instruction":"Say one.","output":"One."}\n';
  const params = { dataset_id: body.id };
  await run.operator.client.call(uploadDatasetFile, { params, query: { name: "rows.jsonl" }, upload });
  viewer = await run.addMember("viewer");
});
afterAll(async () => {
  parser.close();
  await run[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const health = async () => (await run.operator.client.call(getSystemHealth, {})).body;
const storage = async (seconds = 0) =>
  (await run.operator.client.call(getSystemStorage, { query: { older_than_seconds: seconds } })).body;
const listObjects = async () =>
  (await readdir(join(folder, "objects"), { recursive: true })).filter((name) => name.endsWith(".object"));

/** Reasons of a part, but for those that a slow or full machine has of itself. */
async function reasonsOf(name: HealthPart): Promise<string[]> {
  const part = (await health()).parts.find(({ part: one }) => one === name);
  const own = new Set(["DATABASE_SLOW", "CONNECTIONS_EXHAUSTED", "STORE_SPACE_LOW"]);
  return (part?.findings ?? []).map(({ reason }) => reason).filter((reason) => !own.has(reason));
}

test("every part of a platform that is well is told with what was found out", async () => {
  await expect.poll(() => reasonsOf("object_store"), { timeout: 60_000 }).toEqual([]);
  const { parts, version, node, started_at: startedAt } = await health();
  expect({ version, node: node !== "", isStarted: Date.parse(startedAt) <= Date.now() }).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: true,
    isStarted: true,
  });
  expect(parts.map(({ part }) => part)).toEqual(["database", "object_store", "parser", "clock", "sweepers"]);
  expect(parts.map(({ state }) => state)).not.toContain("failing");
  const [database, store, parserPart, clock, sweepers] = parts;
  expect(database?.facts).toMatchObject({
    server_version: expect.stringMatching(/^\d+/),
    connections_max: 20,
    size_bytes: expect.any(Number),
  });
  const facts = new Map(Object.entries(database?.facts ?? {}));
  expect(facts.get("migrations_applied")).toBe(facts.get("migrations_known"));
  expect(store?.facts).toMatchObject({ store: "filesystem", free_bytes: expect.any(Number), objects_looked_for: 1 });
  expect(parserPart).toMatchObject({ state: "ok", facts: { latency_ms: expect.any(Number) } });
  expect(clock?.facts).toMatchObject({ skew_ms: expect.any(Number) });
  expect(sweepers?.facts).toMatchObject({
    sweeps: expect.arrayContaining([expect.objectContaining({ name: "stored objects", every_seconds: 60 })]),
  });
});

test("the sweep of the store that has run is told with its outcome", async () => {
  const last = async () => {
    const part = (await health()).parts.find(({ part: one }) => one === "sweepers");
    return part?.part === "sweepers" ? part.facts?.sweeps[0]?.is_last_well : undefined;
  };
  await expect.poll(last, { timeout: 60_000 }).toBe(true);
});

test("a parser that cannot work or is gone is told", async () => {
  parserState = 2;
  expect(await reasonsOf("parser")).toEqual(["PARSER_NOT_SERVING"]);
  parserState = 1;
  expect(await reasonsOf("parser")).toEqual([]);
});

test("a parser that nobody named is not configured, and one that does not answer fails", async () => {
  await using without = await startTestPlatform({ PLATFORM_PARSER_URL: "" });
  const partsOf = async (one: TestPlatform) => (await one.operator.client.call(getSystemHealth, {})).body.parts;
  expect((await partsOf(without))[2]).toMatchObject({ part: "parser", state: "not_configured", findings: [] });
  await using gone = await startTestPlatform({ PLATFORM_PARSER_URL: "http://127.0.0.1:1" });
  const body = (await gone.operator.client.call(getSystemHealth, {})).body;
  expect(body.state).toBe("failing");
  expect(body.parts[2]).toMatchObject({
    state: "failing",
    facts: null,
    findings: [{ reason: "PARSER_UNAVAILABLE", detail: expect.stringContaining("ECONNREFUSED") }],
  });
});

test("a volume that is gone, or is another one, is told", async () => {
  await rename(folder, `${folder}-gone`);
  expect(await reasonsOf("object_store")).toEqual(["STORE_UNAVAILABLE"]);
  await rename(`${folder}-gone`, folder);
  expect(await reasonsOf("object_store")).toEqual([]);
  const [name = ""] = await listObjects();
  const path = join(folder, "objects", name);
  await rename(path, `${path}.away`);
  expect(await reasonsOf("object_store")).toEqual(["STORE_OBJECTS_MISSING"]);
  await rename(`${path}.away`, path);
});

test("migrations that are missing, and those of a newer version, are told", async () => {
  const table = "drizzle.__drizzle_migrations";
  await withClient(run.databaseUrl, async (client) => {
    await client.query(`update ${table} set created_at = 1 where created_at = (select max(created_at) from ${table})`);
    expect(await reasonsOf("database")).toEqual(["MIGRATIONS_MISSING", "MIGRATIONS_UNKNOWN"]);
    const { rows } = await client.query<{ found: boolean }>(
      "select to_regclass('storage_verifications') is not null as found",
    );
    expect(rows[0]?.found).toBe(true);
  });
});

test("administrators of a tenant see states and remedies, without addresses and figures", async () => {
  const owner = await run.addTenant("Another");
  const { body } = await owner.client.call(getSystemStatus, {});
  expect(body.parts.map(({ part }) => part)).toHaveLength(5);
  expect(body.parts[0]?.findings[0]).toMatchObject({ reason: "MIGRATIONS_MISSING", remedy: expect.any(String) });
  for (const word of ["facts", "detail", "127.0.0.1", "node"]) expect(JSON.stringify(body)).not.toContain(`"${word}`);
  await expect(owner.client.call(getSystemHealth, {})).rejects.toMatchObject({
    problem: { reason: "PERMISSION_DENIED" },
  });
  await expect(viewer.client.call(getSystemStatus, {})).rejects.toMatchObject({
    problem: { reason: "PERMISSION_DENIED" },
  });
  expect((await owner.client.call(getTenantStorage, {})).body).toEqual({ count: 0, size_bytes: 0, by_kind: [] });
});

test("what is stored is told by state, kind and tenant, and what is under way for too long", async () => {
  const before = await storage();
  expect(before).toMatchObject({ store: "filesystem", objects: [{ store: "filesystem", state: "live", count: 1 }] });
  expect(before.by_kind).toMatchObject([{ place: "store", count: 1 }]);
  expect(before.by_tenant).toMatchObject([{ tenant_name: "Default", count: 1 }]);
  expect(before.by_tenant[0]?.size_bytes).toBe(before.objects[0]?.size_bytes);
  expect(before.overdue).toMatchObject({ pending: 0, deleting: 0, oldest_at: null });
  expect((await run.operator.client.call(getTenantStorage, {})).body).toMatchObject({ count: 1 });
  await withClient(run.databaseUrl, (client) =>
    client.query(`insert into storage_objects (id, tenant_id, store, key, media_type, owner_kind, owner_id, state,
        leased_until, created_at, updated_at)
      select gen_random_uuid(), tenant_id, store, 'being/written', media_type, owner_kind, owner_id, 'pending',
        now() + interval '1 hour', now() - interval '2 hours', now() from storage_objects`),
  );
  const { overdue, objects } = await storage(3600);
  expect(overdue).toMatchObject({ pending: 1, deleting: 0, oldest_at: expect.any(String) });
  expect(objects.map(({ state }) => state)).toEqual(["live", "pending"]);
  expect((await storage(8000)).overdue.pending).toBe(0);
});

test("the last verification is told, and its faults are a fault of the store", async () => {
  expect((await storage()).last_verification).toBeNull();
  const { storage: values } = loadConfig({ DATABASE_URL: run.databaseUrl, PLATFORM_STORE_PATH: folder });
  const stores = await openObjectStores(values);
  const deps = { database: run.platform.database, stores };
  await verifyAndRecord(deps, () => undefined);
  expect((await storage()).last_verification).toMatchObject({ fault_count: 0, object_count: 1, faults: [] });
  expect(await reasonsOf("object_store")).toEqual([]);
  const [name = ""] = await listObjects();
  const { size_bytes: size = 0 } = (await storage()).objects.find(({ state }) => state === "live") ?? {};
  await writeFile(join(folder, "objects", name), Buffer.alloc(size, "x"));
  await verifyAndRecord(deps, () => undefined);
  expect((await storage()).last_verification).toMatchObject({
    fault_count: 1,
    faults: [{ kind: "damaged", subject: name.replace(/\.object$/, ""), owner: expect.stringContaining(" ") }],
  });
  expect(await reasonsOf("object_store")).toEqual(["VERIFICATION_FOUND_FAULTS"]);
  await rename(folder, `${folder}-gone`);
  await expect(verifyAndRecord(deps, () => undefined)).rejects.toThrow(/store/);
  await rename(`${folder}-gone`, folder);
  expect((await storage()).last_verification).toMatchObject({ failure: expect.any(String), fault_count: null });
  expect(await reasonsOf("object_store")).toEqual(["VERIFICATION_UNFINISHED"]);
});
