import { createDataset } from "@attune/contracts/rest/datasets.ts";
import {
  cancelJob,
  getJob,
  getPlatformJob,
  listJobItems,
  listJobs,
  listPlatformJobItems,
  listPlatformJobs,
  retryJob,
  retryPlatformJob,
  verifyStoredObjects,
} from "@attune/contracts/rest/jobs.ts";
import { listOperations, listPlatformOperations } from "@attune/contracts/rest/operation-logs.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addJob } from "../../testing/make-jobs.ts";
import { reasonOf, startTestPlatform, type TestPlatform } from "../../testing/start-test-platform.ts";

let run: TestPlatform;
beforeAll(async () => {
  run = await startTestPlatform();
});
afterAll(() => run[Symbol.asyncDispose]());

const byId = (id: string) => ({ params: { job_id: id } });

describe("the jobs of a tenant", () => {
  test("are listed from the newest on, in pages, by state", async () => {
    const ids = [await addJob(run), await addJob(run, "failed"), await addJob(run)];
    const { client } = run.operator;
    const first = await client.call(listJobs, { query: { limit: 2, kind: "test_idle" } });
    expect(first.body.items.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const next = await client.call(listJobs, { query: { limit: 2, cursor: first.body.next_cursor ?? "" } });
    expect(next.body.items.map(({ id }) => id)).toContain(ids[0]);
    const failed = await client.call(listJobs, { query: { state: "failed" } });
    expect(failed.body.items.map(({ id }) => id)).toEqual([ids[1]]);
  });

  test("tell what failed and why, and run it again on demand", async () => {
    const id = await addJob(run, "failed");
    const { client } = run.operator;
    const { body } = await client.call(getJob, byId(id));
    expect(body).toMatchObject({ state: "failed", items: { total: 1, failed: 1 } });
    expect(body.failures).toEqual([{ reason: "INTERNAL", count: 1, detail: null, remedy: "None." }]);
    const items = await client.call(listJobItems, { ...byId(id), query: { state: "failed", reason: "INTERNAL" } });
    expect(items.body.items).toMatchObject([{ item_no: 1, subject: "one", error: { reason: "INTERNAL" } }]);
    const other = client.call(retryJob, { ...byId(id), body: { reason: "STORAGE_FULL" } });
    expect(await reasonOf(other)).toBe("JOB_NOTHING_TO_RETRY");
    const retried = await client.call(retryJob, { ...byId(id), body: { reason: "INTERNAL" } });
    expect(retried.body).toMatchObject({ state: "queued", items: { queued: 1, failed: 0 } });
    expect(await reasonOf(client.call(retryJob, { ...byId(id), body: {} }))).toBe("JOB_NOT_ENDED");
  });

  test("can be cancelled, which the operation log tells", async () => {
    const id = await addJob(run);
    const { client } = run.operator;
    expect((await client.call(cancelJob, byId(id))).body).toMatchObject({
      state: "cancelled",
      items: { cancelled: 1 },
    });
    expect(await reasonOf(client.call(cancelJob, byId(id)))).toBe("JOB_ENDED");
    const { body } = await client.call(listOperations, { query: { resource_id: id } });
    expect(body.items.map(({ action, outcome }) => [action, outcome])).toEqual([["cancelJob", "succeeded"]]);
  });

  test("of one's own are an editor's to cancel, private ones are hidden from all but administrators", async () => {
    const editor = await run.addMember("editor");
    const viewer = await run.addMember("viewer");
    const own = await addJob({ ...run, operator: editor });
    expect((await editor.client.call(cancelJob, byId(own))).body.state).toBe("cancelled");
    const hidden = await addJob(run);
    await run.platform.database.queries.execute(sql`update jobs set is_private = true where id = ${hidden}`);
    expect(await reasonOf(viewer.client.call(getJob, byId(hidden)))).toBe("RECORD_NOT_FOUND");
    const { body } = await viewer.client.call(listJobs, { query: { limit: 200 } });
    expect(body.items.map(({ id }) => id)).toContain(own);
    expect(body.items.map(({ id }) => id)).not.toContain(hidden);
  });
});

describe("the verification of storage", () => {
  const verify = async () => {
    const { client } = run.operator;
    const { body } = await client.call(verifyStoredObjects, {});
    const state = async () => (await client.call(getPlatformJob, byId(body.id))).body;
    await expect.poll(async () => (await state()).ended_at, { timeout: 60_000, interval: 50 }).not.toBeNull();
    return state();
  };

  test("is a job of the platform, which names every fault and can verify the parts with faults again", async () => {
    const { queries } = run.platform.database;
    const { client } = run.operator;
    const tenantId = String((await queries.execute(sql`select id from tenants limit 1`)).rows[0]?.["id"]);
    const owner = { kind: "dataset", id: (await client.call(createDataset, { body: { name: "Kept" } })).body.id };
    const file = { tenantId, owner, mediaType: "text/plain", body: Buffer.from("kept") };
    const stored = await run.platform.storage.writeFile(file, async (_, kept) => kept);
    const sound = await verify();
    expect(sound).toMatchObject({ kind: "verify_storage", state: "succeeded", failures: [] });
    expect(sound.items.total).toBeGreaterThanOrEqual(4);

    await queries.execute(sql`update files set sha256 = sha256('other'::bytea) where id = ${stored.id}`);
    const damaged = await verify();
    expect(damaged).toMatchObject({ state: "partially_succeeded", items: { failed: 1 } });
    expect(damaged.failures).toMatchObject([{ reason: "STORAGE_OBJECT_DAMAGED", count: 1, detail: "1 damaged." }]);
    const failed = { ...byId(damaged.id), query: { state: "failed" as const } };
    const [item] = (await client.call(listPlatformJobItems, failed)).body.items;
    expect(item?.error?.violations).toEqual([{ pointer: stored.id, message: `damaged; of dataset ${owner.id}` }]);
    const kept = await queries.execute(
      sql`select fault_count, failure from storage_verifications where id = ${damaged.id}`,
    );
    expect(kept.rows).toEqual([{ fault_count: 1, failure: null }]);

    await queries.execute(sql`update files set sha256 = sha256(content) where id = ${stored.id}`);

    await client.call(retryPlatformJob, { ...byId(damaged.id), body: {} });
    const state = async () => (await client.call(getPlatformJob, byId(damaged.id))).body.state;
    await expect.poll(state, { timeout: 60_000, interval: 50 }).toBe("succeeded");
    const after = await queries.execute(sql`select fault_count from storage_verifications where id = ${damaged.id}`);
    expect(after.rows).toEqual([{ fault_count: 0 }]);
  });

  test("is not among the jobs of a tenant, and its beginning is in the operation log", async () => {
    const job = await verify();
    const { client } = run.operator;
    expect((await client.call(listPlatformJobs, { query: {} })).body.items.map(({ id }) => id)).toContain(job.id);
    expect((await client.call(listJobs, { query: { kind: "verify_storage" } })).body.items).toEqual([]);
    expect(await reasonOf(client.call(getJob, byId(job.id)))).toBe("RECORD_NOT_FOUND");
    const lines = [
      ...(await client.call(listOperations, { query: { resource_id: job.id } })).body.items,
      ...(await client.call(listPlatformOperations, { query: { resource_id: job.id } })).body.items,
    ];
    expect(lines.map(({ action }) => action)).toEqual(["verifyStoredObjects"]);
  });
});
