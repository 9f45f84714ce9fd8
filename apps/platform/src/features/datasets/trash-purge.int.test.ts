import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type ApiClient } from "@attune/contracts/rest/create-client.ts";
import { createDataset, deleteDataset, uploadDatasetFile } from "@attune/contracts/rest/datasets.ts";
import { changePassword, signIn } from "@attune/contracts/rest/identity.ts";
import { getJob, listJobItems, listJobs } from "@attune/contracts/rest/jobs.ts";
import { listOperations } from "@attune/contracts/rest/operation-logs.ts";
import { createTestDatabase, type TestDatabase } from "@attune/testkit/test-database.ts";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../../infra/db/migrate.ts";
import { type PlatformProcess, startPlatformProcess } from "../../testing/start-platform-process.ts";

const wait = { timeout: 60_000, interval: 20 };
const password = "a test's own password";
const rows = '{"instruction":"Say one.","output":"One."}\n{"instruction":"Say two.","output":"Two."}\n';

let database: TestDatabase;
let folder: string;
let pool: pg.Pool;
const running = new Set<PlatformProcess>();

beforeAll(async () => {
  const migrationsFolder = join(import.meta.dirname, "../../../drizzle");
  const times = { connectTimeoutMs: 10_000, lockTimeoutMs: 60_000 };
  database = await createTestDatabase({ migrationsFolder, migrate: (url) => migrate(url, times) });
  folder = await mkdtemp(join(tmpdir(), "attune-trash-"));
  pool = new pg.Pool({ connectionString: database.url });
}, 120_000);
afterAll(async () => {
  for (const platform of running) await platform.end("SIGKILL");
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function start(trashDays: number): Promise<PlatformProcess> {
  const platform = await startPlatformProcess({
    DATABASE_URL: database.url,
    ATTUNE_DATA_DIR: folder,
    PLATFORM_TRASH_DAYS: String(trashDays),
    PLATFORM_JOBS_POLL_MS: "20",
    // A node that is killed is not waited for within the test.
    PLATFORM_JOBS_LEASE_MS: "600000",
    PLATFORM_INLINE_MAX_KIB: "0",
    PLATFORM_DRAIN_TIMEOUT_MS: "100",
  });
  running.add(platform);
  return platform;
}

async function end(platform: PlatformProcess, signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
  running.delete(platform);
  return platform.end(signal);
}

async function enter({ baseUrl, firstSignIn }: PlatformProcess): Promise<string> {
  if (firstSignIn === undefined) throw new Error("It printed no first password.");
  const { body } = await createClient({ baseUrl, token: () => undefined }).call(signIn, { body: firstSignIn });
  const client = createClient({ baseUrl, token: () => body.token });
  await client.call(changePassword, { body: { current_password: firstSignIn.password, new_password: password } });
  return body.token;
}

async function addDataset(client: ApiClient, name: string): Promise<string> {
  const { body } = await client.call(createDataset, { body: { name } });
  const params = { dataset_id: body.id };
  await client.call(uploadDatasetFile, { params, query: { name: "rows.jsonl" }, upload: rows });
  await client.call(deleteDataset, { params });
  return body.id;
}

const select = async <T>(text: string, ...values: unknown[]): Promise<T[]> =>
  (await pool.query(text, values)).rows as T[];
const countOf = async (table: string): Promise<number> =>
  Number((await select<{ n: string }>(`select count(*) n from ${table}`))[0]?.n);
const purged = async (): Promise<number> =>
  (await select<{ n: number }>("select succeeded_count n from jobs"))[0]?.n ?? -1;

/** Holds a row, so that the work which wants it stands still there, until `release`. */
async function hold(text: string, ...values: unknown[]): Promise<{ release: () => Promise<void> }> {
  const client = await pool.connect();
  await client.query("begin");
  await client.query(text, values);
  return {
    release: async () => {
      await client.query("rollback");
      client.release();
    },
  };
}
const isSomebodyWaiting = async (): Promise<boolean> =>
  (await select("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
    .length > 0;

describe("datasets that have been in the trash for long enough", () => {
  const names = ["one", "two", "three", "four", "five", "six"];
  let ids: string[];
  let token: string;

  beforeAll(async () => {
    const platform = await start(0);
    token = await enter(platform);
    const client = createClient({ baseUrl: platform.baseUrl, token: () => token });
    ids = [];
    for (const name of names) ids.push(await addDataset(client, name));
    await addDataset(client, "young");
    await end(platform, "SIGKILL");
    const age = "update datasets set deleted_at = now() - interval '31 days' + $2 * interval '1 minute' where id = $1";
    for (const [index, id] of ids.entries()) await pool.query(age, [id, index]);
  }, 120_000);

  test("are removed for good, each once, whenever the platform is killed or stopped and however many nodes there are", async () => {
    // In the middle of the third one: before anything of it is removed.
    const row = await hold("select 1 from datasets where id = $1 for update", ids[2]);
    const first = await start(30);
    await expect.poll(purged, wait).toBe(2);
    await expect.poll(isSomebodyWaiting, wait).toBe(true);
    expect(await end(first, "SIGKILL")).toBeNull();
    await row.release();
    expect([await purged(), await countOf("datasets")]).toEqual([2, 5]);

    // And again at its last statement: all of it is removed, and its line in the operation log is not there yet.
    const head = await hold(
      "select 1 from operation_log_heads where chain = (select tenant_id::text from jobs) for update",
    );
    const second = await start(30);
    await expect.poll(isSomebodyWaiting, wait).toBe(true);
    expect(await end(second, "SIGKILL")).toBeNull();
    await head.release();
    expect([await purged(), await countOf("datasets")]).toEqual([2, 5]);

    // The same, and it is told to stop: it ends in time and leaves the job to the next one.
    const again = await hold(
      "select 1 from operation_log_heads where chain = (select tenant_id::text from jobs) for update",
    );
    const third = await start(30);
    await expect.poll(isSomebodyWaiting, wait).toBe(true);
    expect(await end(third, "SIGTERM")).toBe(0);
    await again.release();

    const nodes = await Promise.all([start(30), start(30)]);
    await expect.poll(purged, wait).toBe(6);
    const client = createClient({ baseUrl: nodes[0].baseUrl, token: () => token });
    const [job, ...others] = (await client.call(listJobs, { query: {} })).body.items;
    expect(others).toEqual([]);
    expect(job).toMatchObject({ kind: "purge_datasets", state: "succeeded", created_by: null, items: { total: 6 } });
    const params = { job_id: job?.id ?? "" };
    expect((await client.call(getJob, { params })).body.failures).toEqual([]);
    const items = (await client.call(listJobItems, { params, query: {} })).body.items;
    expect(items.map(({ subject }) => subject)).toEqual(names);

    const { body } = await client.call(listOperations, { query: { action: "purgeDataset" } });
    // The latest first.
    expect(body.items.map(({ resource_id }) => resource_id)).toEqual(ids.toReversed());
    expect(body.items[0]).toMatchObject({ actor: "platform", request_id: job?.id, details: { versions: 1, files: 1 } });
    // The one that is not old enough keeps all it has; objects go after the transaction that removed their record.
    const left = async () => Promise.all(["datasets", "dataset_versions", "dataset_chunks", "files"].map(countOf));
    expect(await left()).toEqual([1, 1, 1, 1]);
    await expect.poll(() => countOf("storage_objects"), wait).toBe(1);
    for (const node of nodes) expect(await end(node, "SIGTERM")).toBe(0);
  }, 300_000);
});
