import { setTimeout as sleep } from "node:timers/promises";
import {
  createDataset,
  deleteDataset,
  editDataset,
  splitDataset,
  undeleteDataset,
  uploadDatasetFile,
} from "@attune/contracts/rest/datasets.ts";
import { deleteModel, editModel } from "@attune/contracts/rest/models.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { beforeCommit } from "../../infra/db/before-commit.ts";
import { follow } from "../../testing/follow.ts";
import { addBaseModel } from "../../testing/make-models.ts";
import { reasonOf, startTestPlatform, type TestPlatform, type TestUser } from "../../testing/start-test-platform.ts";
import { toldByOperation } from "./events-of-operation.ts";
import { publishEvent } from "./publish-event.ts";
import { readHead, readPage, sweepEvents } from "./repo.ts";

let run: TestPlatform;
beforeAll(async () => {
  run = await startTestPlatform({ PLATFORM_RATE_PER_SECOND: "100000", PLATFORM_EVENT_HEARTBEAT_MS: "200" });
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

let count = 0;
/** A tenant of its own, whose feed no other test writes to. */
async function aTenant(): Promise<{ owner: TestUser; tenantId: string; modelId: string }> {
  const owner = await run.addTenant(`Events ${++count}`);
  const tenantId = (await owner.client.call(getTenant, {})).body.id;
  return { owner, tenantId, modelId: (await addBaseModel(owner)).body.id };
}

const publish = (tenantId: string, resourceId: string, mark: number) =>
  run.platform.database.transaction(async (tx) =>
    publishEvent(tx, { tenantId, type: "model.changed", resourceId, data: { mark } }),
  );

const marksOf = (changes: readonly { readonly data: Record<string, unknown> }[]): unknown[] =>
  changes.map(({ data }) => data["mark"]);

test("what operations on datasets and models do is told in their order, and ids have no gap", async () => {
  const { owner } = await aTenant();
  const { client } = owner;
  await using follower = await follow(client);
  const dataset = (await client.call(createDataset, { body: { name: "Told" } })).body.id;
  const params = { dataset_id: dataset };
  await client.call(editDataset, { params, body: { description: "Edited" }, ifMatch: '"1"' });
  const rows = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => JSON.stringify({ instruction: `${n}?`, output: `${n}!` }));
  await client.call(uploadDatasetFile, { params, query: { name: "a.jsonl" }, upload: rows.join("\n") });
  const names = { train_name: "Train", validation_name: "Validation", validation_fraction: 0.5 };
  const split = (await client.call(splitDataset, { params, body: names })).body;
  await client.call(deleteDataset, { params });
  await client.call(undeleteDataset, { params, body: {} });
  const model = (await addBaseModel(owner)).body.id;
  await client.call(editModel, { params: { model_id: model }, body: { description: "Edited" }, ifMatch: '"1"' });
  await client.call(deleteModel, { params: { model_id: model } });
  const changes = await follower.until((all) => all.length >= 10);
  expect(changes.map(({ type, resource_id: id, data }) => [type, id, data])).toEqual([
    ["dataset.created", dataset, {}],
    ["dataset.changed", dataset, {}],
    ["dataset.version_made", dataset, { version_no: 1 }],
    ["dataset.created", split.train.id, {}],
    ["dataset.created", split.validation.id, {}],
    ["dataset.deleted", dataset, {}],
    ["dataset.undeleted", dataset, {}],
    ["model.created", model, {}],
    ["model.changed", model, {}],
    ["model.deleted", model, {}],
  ]);
  const first = Number(changes[0]?.id);
  expect(changes.map(({ id }) => Number(id))).toEqual(changes.map((_, index) => first + index));
});

test("whoever adds an operation on datasets or models decides what it tells", () => {
  const changing = run.platform.bindings
    .map(({ contract }) => contract)
    .filter(({ method, access }) => method !== "GET" && access.kind === "tenant")
    .filter(({ access }) => "resource" in access && ["dataset", "model", "resource_acl"].includes(access.resource));
  expect(changing.map(({ id }) => id).filter((id) => !Object.hasOwn(toldByOperation, id))).toEqual([]);
});

test("a change that is refused or rolled back tells nothing", async () => {
  const { owner, tenantId, modelId } = await aTenant();
  await using follower = await follow(owner.client);
  const before = Number(follower.lastId());
  const refused = owner.client.call(editModel, { params: { model_id: modelId }, body: { name: "x" }, ifMatch: '"9"' });
  expect(await reasonOf(refused)).toBe("VERSION_CONFLICT");
  const undone = run.platform.database.transaction(async (tx) => {
    publishEvent(tx, { tenantId, type: "model.changed", resourceId: modelId, data: { mark: 0 } });
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  await publish(tenantId, modelId, 1);
  const changes = await follower.until((all) => all.length > 0);
  expect(changes.map(({ id, data }) => [Number(id), data])).toEqual([[before + 1, { mark: 1 }]]);
});

test("an event outside of a transaction that tells it is refused", async () => {
  const { tenantId, modelId } = await aTenant();
  const event = { tenantId, type: "model.changed", resourceId: modelId } as const;
  const { database } = run.platform;
  await expect(database.queries.transaction(async (tx) => publishEvent(tx, event))).rejects.toThrow("is not one of");
  const ended = await database.transaction(async (tx) => tx);
  expect(() => publishEvent(ended, event)).toThrow("has ended");
  const large = { ...event, data: { text: "x".repeat(2000) } };
  await expect(database.transaction(async (tx) => publishEvent(tx, large))).rejects.toThrow("characters");
});

test("transactions that write lines and events in any order do not wait for each other", async () => {
  const { owner, tenantId, modelId } = await aTenant();
  const before = await readHead(run.platform.database.queries, tenantId);
  const renames = Array.from({ length: 5 }, async () => addBaseModel(owner));
  const mixed = Array.from({ length: 5 }, async (_, mark) =>
    run.platform.database.transaction(async (tx) => {
      if (mark % 2 === 0) publishEvent(tx, { tenantId, type: "model.changed", resourceId: modelId, data: { mark } });
      await tx.execute(sql`select 1 from operation_log_heads where chain = ${tenantId} for update`);
      if (mark % 2 === 1) publishEvent(tx, { tenantId, type: "model.changed", resourceId: modelId, data: { mark } });
    }),
  );
  await Promise.all([...renames, ...mixed]);
  expect(await readHead(run.platform.database.queries, tenantId)).toBe(before + 10);
});

test("an event that is committed late is not passed by one that was published after it", async () => {
  const { owner, tenantId, modelId } = await aTenant();
  await using follower = await follow(owner.client);
  const [published, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const late = run.platform.database.transaction(async (tx) => {
    publishEvent(tx, { tenantId, type: "model.changed", resourceId: modelId, data: { mark: 1 } });
    // Written, and not yet committed.
    beforeCommit(tx, () => {
      published.resolve();
      return release.promise;
    });
  });
  await published.promise;
  const next = publish(tenantId, modelId, 2);
  const isWaiting = async (): Promise<boolean> => {
    const waiting = sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%event_heads%'`;
    return ((await run.platform.database.queries.execute(waiting)).rowCount ?? 0) > 0;
  };
  while (!(await isWaiting())) await sleep(10);
  const head = await readHead(run.platform.database.queries, tenantId);
  expect(head).toBe(Number(follower.lastId()));
  release.resolve();
  await Promise.all([late, next]);
  const changes = await follower.until((all) => all.length >= 2);
  expect(changes.map(({ id, data }) => [Number(id), data])).toEqual([
    [head + 1, { mark: 1 }],
    [head + 2, { mark: 2 }],
  ]);
});

test("readers that lose their connection again and again get every event of writers at work once, in one order", async () => {
  const { owner, tenantId, modelId } = await aTenant();
  const writers = 6;
  const each = 30;
  const first = await readHead(run.platform.database.queries, tenantId);
  const write = async (writer: number): Promise<void> => {
    for (let turn = 0; turn < each; turn++) {
      await run.platform.database.transaction(async (tx) => {
        publishEvent(tx, {
          tenantId,
          type: "model.changed",
          resourceId: modelId,
          data: { mark: writer * each + turn },
        });
        // Commits do not come in the order in which transactions began, nor at once.
        await sleep(((writer * 7 + turn * 3) % 5) * 2);
        if (turn % 3 === 0) beforeCommit(tx, () => sleep(3));
      });
    }
  };
  const read = async (connectionEvents: number): Promise<{ id: number; mark: unknown }[]> => {
    const got: { id: number; mark: unknown }[] = [];
    while (got.length < writers * each) {
      await using follower = await follow(owner.client, {}, String(got.at(-1)?.id ?? first));
      const wanted = Math.min(connectionEvents, writers * each - got.length);
      const changes = await follower.until((all) => all.length >= wanted);
      got.push(...changes.map(({ id, data }) => ({ id: Number(id), mark: data["mark"] })));
    }
    return got;
  };
  const readers = [read(1000), read(17), read(5)];
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  const [whole, ...others] = await Promise.all(readers);
  expect(whole?.map(({ id }) => id)).toEqual(Array.from({ length: writers * each }, (_, index) => first + 1 + index));
  expect(new Set(whole?.map(({ mark }) => mark)).size).toBe(writers * each);
  for (const other of others) expect(other).toEqual(whole);
}, 120_000);

test("the place to resume after may come as header or parameter, and the header is the later one", async () => {
  const { owner, tenantId, modelId } = await aTenant();
  const head = await readHead(run.platform.database.queries, tenantId);
  for (const mark of [1, 2, 3]) await publish(tenantId, modelId, mark);
  await using byParameter = await follow(owner.client, { after: String(head) });
  expect(marksOf(await byParameter.until((all) => all.length >= 3))).toEqual([1, 2, 3]);
  await using byHeader = await follow(owner.client, { after: String(head) }, String(head + 2));
  expect(marksOf(await byHeader.until((all) => all.length > 0))).toEqual([3]);
  expect(await reasonOf(follow(owner.client, { after: "yesterday" }))).toBe("REQUEST_INVALID");
  expect(await reasonOf(follow(owner.client, {}, "1; drop"))).toBe("REQUEST_INVALID");
});

test("a stream may be about one kind or one record, and its place moves on nevertheless", async () => {
  const { owner, tenantId, modelId } = await aTenant();
  await using ofModel = await follow(owner.client, { resource_kind: "model", resource_id: modelId });
  await using ofDatasets = await follow(owner.client, { resource_kind: "dataset" });
  await addBaseModel(owner);
  await publish(tenantId, modelId, 1);
  await ofModel.until((all) => all.length > 0);
  expect(ofModel.changes.map(({ resource_id: id }) => id)).toEqual([modelId]);
  const head = await readHead(run.platform.database.queries, tenantId);
  await ofDatasets.until(() => ofDatasets.lastId() === String(head));
  expect(ofDatasets.changes).toEqual([]);
});

test("a place whose followers were swept, or that never was, is answered with a reset and goes on from there", async () => {
  const { owner, tenantId, modelId } = await aTenant();
  const before = await readHead(run.platform.database.queries, tenantId);
  for (const mark of [1, 2, 3, 4]) await publish(tenantId, modelId, mark);
  const head = before + 4;
  await run.platform.database.transaction((tx) => sweepEvents(tx, { maxAgeMs: 3_600_000, maxPerTenant: 2 }));
  await using kept = await follow(owner.client, { after: String(head - 2) });
  await using swept = await follow(owner.client, { after: String(head - 3) });
  await using never = await follow(owner.client, { after: String(head + 50) });
  for (const follower of [swept, never]) {
    await follower.until(() => follower.resets.length > 0);
    expect(follower.resets).toEqual([String(head)]);
  }
  await publish(tenantId, modelId, 5);
  for (const follower of [swept, never]) expect(marksOf(await follower.until((all) => all.length > 0))).toEqual([5]);
  expect(marksOf(await kept.until((all) => all.length >= 3))).toEqual([3, 4, 5]);
  expect(kept.resets).toEqual([]);
});

test("events are swept by age too, and a tenant without events keeps its place", async () => {
  const { owner, tenantId, modelId } = await aTenant();
  await publish(tenantId, modelId, 1);
  const { queries } = run.platform.database;
  const head = await readHead(queries, tenantId);
  await queries.execute(sql`update events set created_at = now() - interval '2 hours' where tenant_id = ${tenantId}`);
  await run.platform.database.transaction((tx) => sweepEvents(tx, { maxAgeMs: 3_600_000, maxPerTenant: 1000 }));
  expect(await readPage(queries, tenantId, { after: head, limit: 10 })).toEqual({ head, events: [], hasGap: false });
  expect(await readPage(queries, tenantId, { after: head - 1, limit: 10 })).toMatchObject({ hasGap: true });
  await using follower = await follow(owner.client, {}, String(head));
  await publish(tenantId, modelId, 2);
  expect(marksOf(await follower.until((all) => all.length > 0))).toEqual([2]);
  expect(follower.resets).toEqual([]);
});
