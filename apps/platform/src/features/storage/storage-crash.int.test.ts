import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createId } from "@attune/service-kit/create-id.ts";
import { type FakeS3, startFakeS3 } from "@attune/testkit/s3-fixture-fake.ts";
import { createTestDatabase, type TestDatabase } from "@attune/testkit/test-database.ts";
import { eq, ne, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../infra/db/migrate.ts";
import { type CrashLine, type CrashOrder, crashProgram } from "./crash-steps.fixture.ts";
import { addTenant, startStorage, type StartedStorage, type StorageAddress } from "./start-storage.fixture.ts";
import { files, storageObjects } from "./tables.ts";
import { verifyStorage } from "./verify-storage.ts";

let database: TestDatabase;
let folder: string;
let server: FakeS3;

beforeAll(async () => {
  const migrationsFolder = join(import.meta.dirname, "../../../drizzle");
  const times = { connectTimeoutMs: 10_000, lockTimeoutMs: 60_000 };
  database = await createTestDatabase({ migrationsFolder, migrate: (url) => migrate(url, times) });
  folder = await mkdtemp(join(tmpdir(), "attune-crash-"));
  server = await startFakeS3();
  await server.createBucket("objects");
}, 120_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  await database.drop();
});

// Every step takes a process of its own and minutes together; without CRASH_STEPS=all some, spread over all, stand for them.
const isEveryStep = process.env["CRASH_STEPS"] === "all";
const sample = 4;

function chooseSteps(count: number): number[] {
  if (isEveryStep || count <= sample) return Array.from({ length: count }, (_, index) => index + 1);
  return Array.from({ length: sample }, (_, index) => Math.round(((index + 0.5) * count) / sample) || 1);
}

const places: readonly (readonly [
  name: string,
  place: () => Omit<StorageAddress, "databaseUrl">,
  leftovers: () => unknown,
])[] = [
  ["the file system", () => ({ path: folder }), listTemporary],
  ["S3", () => ({ s3: toAccess(server) }), listStaged],
];

describe.each(places)("on %s", { timeout: 900_000 }, (name, place, listLeftovers) => {
  let started: StartedStorage;
  let tenantId: string;
  const address = () => ({ databaseUrl: database.url, ...place() });
  const order = (crashAt: number, work: CrashOrder["work"] = "write and remove"): CrashOrder => ({
    address: address(),
    tenantId,
    work,
    crashAt,
  });

  beforeAll(async () => {
    started = await startStorage(address());
    tenantId = await addTenant(started.database);
    await started.database.queries.execute(sql`create table if not exists crash_owners (
      file_id uuid primary key references files(id) deferrable initially deferred)`);
  });
  afterAll(() => started[Symbol.asyncDispose]());

  /** What must hold after any crash, once the platform runs again. */
  const recoverAndJudge = async (lines: readonly CrashLine[]) => {
    await expect.poll(() => sweepAndCount(started), { timeout: 60_000, interval: 50 }).toBe(0);
    expect(await listLeftovers()).toEqual([]);
    expect(await judgeFiles(started, tenantId)).toEqual([]);
    expect(await judgePromises(started, tenantId, lines)).toEqual([]);
    await clear(started, tenantId);
  };

  it("loses and leaves nothing, wherever the process is killed", async () => {
    const whole = await run(order(0));
    await recoverAndJudge(whole.lines);
    const steps = stepsOf(whole.lines);
    expect(new Set(steps).size).toBeGreaterThanOrEqual(name === "S3" ? 10 : 13);
    for (const crashAt of chooseSteps(steps.length)) {
      const { lines, signal } = await run(order(crashAt));
      expect([signal, stepsOf(lines)]).toEqual(["SIGKILL", steps.slice(0, crashAt)]);
      await recoverAndJudge(lines);
    }
    const killed = chooseSteps(steps.length).map((step) => steps[step - 1]);
    console.log(`${name}: killed at ${killed.length} of ${steps.length} steps: ${killed.join(", ")}`);
  });

  it.runIf(isEveryStep)("loses and leaves nothing when the sweep itself is killed", async () => {
    for (let crashAt = 1, isOver = false; !isOver; crashAt++) {
      await prepareLeftovers(started, tenantId);
      const { signal } = await run(order(crashAt, "sweep"));
      isOver = signal === null;
      expect(["SIGKILL", null]).toContain(signal);
      await recoverAndJudge([]);
    }
  });

  it.runIf(name === "S3")("loses and leaves nothing, whichever request the process is killed at", async () => {
    let count = 0;
    server.onRequest = () => void count++;
    await run(order(0, "in parts"));
    const requests = count;
    await clear(started, tenantId);
    expect(requests).toBeGreaterThanOrEqual(13);
    for (const fault of [{ status: 500 }, { isAnswerLost: true }]) {
      for (const killAt of chooseSteps(requests)) {
        const stop = new AbortController();
        let seen = 0;
        server.onRequest = () => {
          if (++seen !== killAt) return undefined;
          stop.abort();
          return fault;
        };
        const { lines, signal } = await run(order(0, "in parts"), stop.signal);
        server.onRequest = undefined;
        expect(signal).toBe("SIGKILL");
        await recoverAndJudge(lines);
      }
    }
    console.log(
      `S3: killed at ${chooseSteps(requests).length} of ${requests} requests, before and after each was carried out`,
    );
  });
});

interface Ending {
  readonly lines: CrashLine[];
  readonly signal: NodeJS.Signals | null;
}

function run(order: CrashOrder, kill?: AbortSignal): Promise<Ending> {
  const child = spawn(process.execPath, [crashProgram, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  kill?.addEventListener("abort", () => child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) => {
      if (status !== null && status !== 0) reject(new Error(`the child ended with status ${status}`));
      const lines = output.split("\n").filter(Boolean);
      resolve({ lines: lines.map((line) => JSON.parse(line) as CrashLine), signal });
    });
  });
}

const stepsOf = (lines: readonly CrashLine[]): string[] => lines.flatMap((line) => ("step" in line ? line.step : []));

async function sweepAndCount({ storage, database: { queries } }: StartedStorage): Promise<number> {
  await storage.sweep();
  return queries.$count(storageObjects, ne(storageObjects.state, "live"));
}

/** Faults of files that are there: each must be whole, and have the record that it was written with. */
async function judgeFiles({ database: { queries }, deps }: StartedStorage, tenantId: string): Promise<unknown[]> {
  const faults: unknown[] = [];
  await verifyStorage(deps, (fault) => faults.push(fault));
  const { rows } = await queries.execute(sql`
    select f.id, o.file_id from files f full join crash_owners o on o.file_id = f.id
    where f.id is null or (o.file_id is null and f.tenant_id = ${tenantId})`);
  const unused = await queries
    .select({ id: storageObjects.id })
    .from(storageObjects)
    .leftJoin(files, eq(files.objectId, storageObjects.id))
    .where(sql`${files.id} is null`);
  return [...faults, ...rows, ...unused];
}

/** Faults of what callers were told: what was written is there, what was removed is not, and of removals all or none is done. */
async function judgePromises(
  started: StartedStorage,
  tenantId: string,
  lines: readonly CrashLine[],
): Promise<unknown[]> {
  const { queries } = started.database;
  const present = new Set((await queries.select({ id: files.id }).from(files)).map(({ id }) => id));
  const removing = new Set(lines.flatMap((line) => ("removing" in line ? line.removing : [])));
  const removed = lines.flatMap((line) => ("removed" in line ? line.removed : []));
  const faults: unknown[] = removed.filter((id) => present.has(id));
  if (new Set([...removing].map((id) => present.has(id))).size > 1) faults.push("a removal was done by half");
  for (const line of lines) {
    if (!("wrote" in line) || (removing.has(line.wrote) && !present.has(line.wrote))) continue;
    const file = await started.storage.openFile(queries, { tenantId, fileId: line.wrote });
    // It compares the content with this.
    if (file.sha256 !== line.sha256) faults.push(line);
    for await (const _ of file.stream);
  }
  return faults;
}

/** An abandoned write with its object, one without, and a removal that nobody finished. */
async function prepareLeftovers({ database: { queries }, store }: StartedStorage, tenantId: string): Promise<void> {
  for (const [state, hasObject] of [
    ["pending", true],
    ["pending", false],
    ["deleting", true],
  ] as const) {
    const [id, past] = [createId(), sql`now() - interval '1 minute'`];
    const key = `${tenantId}/aa/${id}`;
    const times = { leasedUntil: past, createdAt: past, updatedAt: past };
    const owner = { ownerKind: "test", ownerId: id };
    const row = { id, tenantId, store: store.name, key, mediaType: "text/plain", state, ...owner, ...times };
    await queries.insert(storageObjects).values(row);
    if (hasObject) await store.put(key, Buffer.from("left"));
  }
}

async function clear({ database: { queries }, store }: StartedStorage, tenantId: string): Promise<void> {
  await queries.execute(sql`delete from crash_owners`);
  await queries.delete(files).where(eq(files.tenantId, tenantId));
  await queries.delete(storageObjects).where(eq(storageObjects.tenantId, tenantId));
  for await (const { key } of store.list("")) await store.delete(key);
}

async function listTemporary(): Promise<string[]> {
  return [...(await readdir(join(folder, "temporary"))), ...(await readdir(join(folder, "uploads")))];
}

function listStaged(): string[] {
  const { objects = new Map<string, unknown>(), uploads = new Map<string, unknown>() } =
    server.buckets.get("objects") ?? {};
  return [...[...objects.keys()].filter((name) => name.includes("staging/")), ...uploads.keys()];
}

const toAccess = ({ endpoint, region, accessKeyId, secretAccessKey }: FakeS3) => ({
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
});
