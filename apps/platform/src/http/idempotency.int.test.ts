import { randomUUID } from "node:crypto";
import { createModel, deleteModel, listModels } from "@attune/contracts/rest/models.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reasonOf, startTestPlatform, type TestPlatform, type TestUser } from "../testing/start-test-platform.ts";
import { sweepIdempotencyKeys } from "./idempotency.ts";

let run: TestPlatform;

beforeAll(async () => {
  run = await startTestPlatform();
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

const create = (by: TestUser, name: string, idempotencyKey: string) =>
  by.client.call(createModel, { body: { kind: "base", name }, idempotencyKey });

async function countModels(name: string): Promise<number> {
  const { body } = await run.operator.client.call(listModels, { query: { search: name } });
  return body.items.length;
}

async function countKeys(key: string): Promise<number> {
  const { rows } = await run.platform.database.queries.execute(sql`select 1 from idempotency_keys where key = ${key}`);
  return rows.length;
}

test("a repetition gets the first answer, says so, and does nothing", async () => {
  const key = randomUUID();
  const first = await create(run.operator, "Once", key);
  const again = await create(run.operator, "Once", key);
  expect(again).toMatchObject({ status: 201, body: first.body, etag: first.etag });
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await countModels("Once")).toBe(1);
});

test("a repetition gets the first answer even when the record is gone", async () => {
  const key = randomUUID();
  const first = await create(run.operator, "Gone", key);
  await run.operator.client.call(deleteModel, { params: { model_id: first.body.id } });
  expect((await create(run.operator, "Gone", key)).body).toEqual(first.body);
  expect(await countModels("Gone")).toBe(0);
});

test("a key that comes with another request is refused", async () => {
  const key = randomUUID();
  await create(run.operator, "First of two", key);
  expect(await reasonOf(create(run.operator, "Second of two", key))).toBe("IDEMPOTENCY_KEY_REUSED");
  expect(await countModels("Second of two")).toBe(0);
});

test("a request that fails leaves no key, so that it can be repeated when its cause is gone", async () => {
  const key = randomUUID();
  const { body } = await create(run.operator, "Taken", randomUUID());
  expect(await reasonOf(create(run.operator, "Taken", key))).toBe("MODEL_NAME_TAKEN");
  expect(await countKeys(key)).toBe(0);
  await run.operator.client.call(deleteModel, { params: { model_id: body.id } });
  expect((await create(run.operator, "Taken", key)).status).toBe(201);
});

test("of many at once one is done, and all get its answer", async () => {
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(run.operator, "At once", key)));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === null)).toHaveLength(1);
  expect(await countModels("At once")).toBe(1);
});

test("the same key of another user is another key", async () => {
  const key = randomUUID();
  const other = await run.addMember("editor");
  const foreign = await run.addTenant("Foreign");
  const first = await create(run.operator, "Of the operator", key);
  const second = await create(other, "Of the editor", key);
  const third = await create(foreign, "Of the operator", key);
  expect(new Set([first, second, third].map(({ body }) => body.id)).size).toBe(3);
});

test.each(["", " ", "a b", "ü", "x".repeat(201)])("what is no key is refused: %j", async (key) => {
  const call = run.operator.client.call(createModel, {
    body: { kind: "base", name: `Key ${key.length}` },
    headers: { "idempotency-key": key },
  });
  expect(await reasonOf(call)).toBe("REQUEST_INVALID");
});

test("keys are forgotten after a day, and not before", async () => {
  const [old, young] = [randomUUID(), randomUUID()];
  await create(run.operator, "Old key", old);
  await create(run.operator, "Young key", young);
  const { database } = run.platform;
  await database.queries.execute(
    sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = ${old}`,
  );
  await database.transaction(sweepIdempotencyKeys);
  expect([await countKeys(old), await countKeys(young)]).toEqual([0, 1]);
});
