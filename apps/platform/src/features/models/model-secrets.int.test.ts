import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BodyInputOf } from "@attune/contracts/rest/define-route.ts";
import { listOperations } from "@attune/contracts/rest/operation-logs.ts";
import {
  deleteModel,
  editModel,
  getModel,
  listModels,
  testModelConnection,
  testNewConnection,
} from "@attune/contracts/rest/models.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { type FakeModelApi, startFakeModelApi } from "@attune/testkit/fake-model-api.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createSecretBox } from "../../infra/secrets/secret-box.ts";
import { openSecretKeys } from "../../infra/secrets/secret-keys.ts";
import { addApiModel, addBaseModel } from "../../testing/make-models.ts";
import { reasonOf, startTestPlatform, type TestPlatform } from "../../testing/start-test-platform.ts";
import { rotateSecrets } from "./rotate-secrets.ts";

// Other work on the machine may hold things up.
const patient = { timeout: 20_000 };

const secret = "sk-planted-7d1f9b3c5e2a";
const keyOf = (letter: string): string => Buffer.alloc(32, letter).toString("base64");

let run: TestPlatform;
let fake: FakeModelApi;
let elsewhere: FakeModelApi;
beforeAll(async () => {
  run = await startTestPlatform({ PLATFORM_SECRET_KEY: keyOf("a"), PLATFORM_RATE_PER_SECOND: "100000" });
  fake = await startFakeModelApi({ apiKey: secret });
  elsewhere = await startFakeModelApi({ host: "127.0.0.2" });
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

const idOf = (id: string) => ({ params: { model_id: id } });

async function edit(id: string, body: BodyInputOf<typeof editModel>) {
  const { etag = "" } = await run.operator.client.call(getModel, idOf(id));
  return run.operator.client.call(editModel, { ...idOf(id), body, ifMatch: etag });
}

const testOf = async (id: string) => (await run.operator.client.call(testModelConnection, idOf(id))).body;

/** Every row of every table, as PostgreSQL writes it out. */
async function dumpDatabase(): Promise<string> {
  const { pool } = run.platform.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  );
  const dumps = tables.map(async ({ name }) =>
    JSON.stringify((await pool.query(`select t::text from ${name} t`)).rows),
  );
  return (await Promise.all(dumps)).join("\n");
}

describe("a connection test", () => {
  it("sends the stored key, and says that it works", async () => {
    const { body } = await addApiModel(run.operator, { api_url: fake.apiUrl, secret });
    expect(await testOf(body.id)).toMatchObject({
      is_ok: true,
      is_model_listed: true,
      failure: null,
      steps: [{ asked: `GET ${fake.apiUrl}/models`, has_passed: true }, { has_passed: true }],
    });
    expect(fake.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
  });

  it("says what is wrong and what to do", async () => {
    const { body } = await addApiModel(run.operator, { api_url: fake.apiUrl, api_model: "gone", secret });
    expect((await testOf(body.id)).failure).toMatchObject({ reason: "MODEL_API_MODEL_UNKNOWN" });
    const wrong = await addApiModel(run.operator, { api_url: fake.apiUrl, secret: "sk-wrong" });
    expect((await testOf(wrong.body.id)).failure).toMatchObject({ reason: "MODEL_API_DENIED" });
  });

  it("can be done before a model is registered, and asks embedding models for a vector", async () => {
    const body = { api_url: fake.apiUrl, api_model: "fake-embedding", secret, purpose: "embedding" as const };
    const report = (await run.operator.client.call(testNewConnection, { body })).body;
    expect(report.is_ok).toBe(true);
    expect(fake.requests.at(-1)?.path).toBe("/v1/embeddings");
    const bad = { ...body, api_url: "ftp://host" };
    expect(await reasonOf(run.operator.client.call(testNewConnection, { body: bad }))).toBe("MODEL_API_URL_INVALID");
  });

  it("is for models that are called through an API", async () => {
    const { body } = await addBaseModel(run.operator, {});
    expect(await reasonOf(run.operator.client.call(testModelConnection, idOf(body.id)))).toBe("MODEL_NOT_API");
  });

  it("ends with the caller", async () => {
    const { body } = await addApiModel(run.operator, { api_url: fake.apiUrl, secret });
    fake.failNext({ kind: "stall-before-answer" });
    const gone = new AbortController();
    const before = fake.abandonedCount;
    const testing = run.operator.client.call(testModelConnection, { ...idOf(body.id), signal: gone.signal });
    const outcome = testing.catch(() => "gone");
    await expect.poll(() => fake.load.current, patient).toBe(1);
    gone.abort();
    expect(await outcome).toBe("gone");
    await expect.poll(() => fake.abandonedCount, patient).toBe(before + 1);
    const query = { action: "testModelConnection" };
    const lines = async () => (await run.operator.client.call(listOperations, { query })).body.items;
    await expect.poll(async () => (await lines())[0]?.reason, patient).toBe("CALL_CANCELLED");
  });

  it("is an operation with its result", async () => {
    const { body } = await addApiModel(run.operator, { api_url: fake.apiUrl, secret: "sk-wrong" });
    await testOf(body.id);
    const { items } = (await run.operator.client.call(listOperations, { query: { resource_id: body.id } })).body;
    expect(items[0]).toMatchObject({
      action: "testModelConnection",
      outcome: "succeeded",
      details: { is_ok: false, reason: "MODEL_API_DENIED" },
    });
  });
});

describe("the key of an API model", () => {
  it("does not go to another server without being entered again", async () => {
    const { body } = await addApiModel(run.operator, { api_url: fake.apiUrl, secret });
    expect(await reasonOf(edit(body.id, { api_url: elsewhere.apiUrl }))).toBe("REQUEST_INVALID");
    await edit(body.id, { api_url: `${fake.origin}/other/v1` });
    await edit(body.id, { api_url: elsewhere.apiUrl, secret: null });
    expect((await testOf(body.id)).is_ok).toBe(true);
    expect(elsewhere.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it("does not open in the record of another model", async () => {
    const [first, second] = [
      await addApiModel(run.operator, { secret }),
      await addApiModel(run.operator, { secret: "x" }),
    ];
    await run.platform.database.pool.query(
      "update models set sealed_secret = (select sealed_secret from models where id = $1) where id = $2",
      [first.body.id, second.body.id],
    );
    const testing = run.operator.client.call(testModelConnection, idOf(second.body.id));
    expect(await reasonOf(testing)).toBe("SECRET_UNREADABLE");
  });

  it("is in no answer and in no row", async () => {
    const answers: unknown[] = [];
    const made = await addApiModel(run.operator, { api_url: fake.apiUrl, secret });
    const { id } = made.body;
    answers.push(made.body, (await run.operator.client.call(getModel, idOf(id))).body, await testOf(id));
    answers.push((await edit(id, { secret, description: "again" })).body);
    answers.push((await run.operator.client.call(listModels, { query: { limit: 200 } })).body);
    fake.failNext({ kind: "status", status: 400, message: `Your key is ${secret}` }, 2);
    answers.push(await testOf(id));
    const stored = await dumpDatabase();
    await run.operator.client.call(deleteModel, idOf(id));
    const seen = [JSON.stringify(answers), stored, await dumpDatabase()].join("\n");
    expect(seen).toContain(id);
    expect(seen).not.toContain(secret.slice(0, 9));
    expect(seen).not.toContain(secret.slice(-4));
  });
});

describe("rotating the key that encrypts", () => {
  const boxOf = (present: string, previous?: string) =>
    createSecretBox(
      openSecretKeys({
        configured: {
          present: new Secret(keyOf(present)),
          previous: previous === undefined ? undefined : new Secret(keyOf(previous)),
        },
        file: "/nowhere",
      }),
    );

  it("seals every secret anew, once, and leaves what it cannot open", async () => {
    await using other = await startTestPlatform({
      PLATFORM_SECRET_KEY: keyOf("a"),
      PLATFORM_RATE_PER_SECOND: "100000",
    });
    const { database } = other.platform;
    const { body } = await addApiModel(other.operator, { api_url: fake.apiUrl, secret });
    const { body: lost } = await addApiModel(other.operator, { secret: "lost" });
    for (let at = 0; at < 105; at++) await addApiModel(other.operator, { secret: `many ${at}`.replace(" ", "-") });
    await database.pool.query("update models set sealed_secret = 'v1:000000000000:' || repeat('A', 60) where id = $1", [
      lost.id,
    ]);
    const rotated = boxOf("b", "a");
    expect(await rotateSecrets(database, rotated)).toEqual({ resealed: 106, unreadable: [lost.id] });
    expect(await rotateSecrets(database, rotated)).toEqual({ resealed: 0, unreadable: [lost.id] });
    const { rows } = await database.pool.query<{ sealed_secret: string }>(
      "select sealed_secret from models where id = $1",
      [body.id],
    );
    expect(
      boxOf("b")
        .open(rows[0]?.sealed_secret ?? "", `models/${body.id}`)
        .reveal(),
    ).toBe(secret);
    const after = (await other.operator.client.call(getModel, idOf(body.id))).body;
    expect(after.version).toBe(1);
  });

  it("is a command, which makes a key where the platform keeps its own", async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), "rotate-"));
    onTestFinished(() => rmSync(dataFolder, { recursive: true }));
    const environment = { ATTUNE_DATA_DIR: dataFolder, PLATFORM_SECRET_KEY: "" };
    await using other = await startTestPlatform(environment);
    const { body } = await addApiModel(other.operator, { api_url: fake.apiUrl, secret });
    const main = join(import.meta.dirname, "../../main.ts");
    const { status, stdout } = spawnSync(process.execPath, [main, "rotate-secrets"], {
      env: { ...environment, DATABASE_URL: other.databaseUrl },
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([0, "1 secrets are encrypted with the present key.\n"]);
    expect(readFileSync(join(dataFolder, "secret-keys"), "utf8").trim().split("\n")).toHaveLength(2);
    // The platform ran all the while, and reads what was sealed with the new key.
    expect((await other.operator.client.call(testModelConnection, idOf(body.id))).body.is_ok).toBe(true);
  });
});
