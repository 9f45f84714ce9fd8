import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@attune/contracts/rest/create-client.ts";
import { addUser, changePassword, createApiToken, resetPassword, signIn } from "@attune/contracts/rest/identity.ts";
import { createModel, editModel } from "@attune/contracts/rest/models.ts";
import { createTestDatabase, type TestDatabase } from "@attune/testkit/test-database.ts";
import { withClient } from "@attune/testkit/with-client.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PlatformProcess, startPlatform } from "./start-platform.ts";

const clientSecret = "planted-client-secret-5f0c1d9e";
const password = "planted password 8a61f2c4";
const modelKeys = ["sk-planted-first-3c9e77a1", "sk-planted-second-b42d0f6e"];

/** Every secret that was planted or given out, by name. */
const secrets = new Map<string, string>([
  ["the client secret", clientSecret],
  ["the password", password],
  ["the first key of a model", modelKeys[0] ?? ""],
  ["the second key of a model", modelKeys[1] ?? ""],
  ["the key of stored secrets", Buffer.alloc(32, "k").toString("base64")],
]);
/** Everything that was answered, but for the one answer that is there to give a secret. */
const answers: string[] = [];

let database: TestDatabase;
let node: PlatformProcess;
let dataFolder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataFolder = mkdtempSync(join(tmpdir(), "attune-secrets-"));
  node = await startPlatform(database.url, {
    PLATFORM_LOG_LEVEL: "debug",
    PLATFORM_RATE_PER_SECOND: "100000",
    ATTUNE_DATA_DIR: dataFolder,
    PLATFORM_PUBLIC_URL: "http://127.0.0.1:9",
    PLATFORM_OIDC_ISSUER: "http://127.0.0.1:9",
    PLATFORM_OIDC_CLIENT_ID: "attune",
    PLATFORM_OIDC_CLIENT_SECRET: clientSecret,
  });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await database.drop();
  rmSync(dataFolder, { recursive: true, force: true });
});

/** Gives and takes every kind of secret, as people do; tells the token of the session. */
async function plant(): Promise<{ token: string; ids: string[] }> {
  const first = node.firstAdmin ?? { email: "", password: "" };
  secrets.set("the first password", first.password);
  const stranger = createClient({ baseUrl: node.url, token: () => undefined });
  const { token } = (await stranger.call(signIn, { body: first })).body;
  secrets.set("the token of the session", token);
  const client = createClient({ baseUrl: node.url, token: () => token });
  await client.call(changePassword, { body: { current_password: first.password, new_password: password } });
  const made = await client.call(createApiToken, { body: { name: "CI", scopes: ["read", "create"] } });
  secrets.set("the API token", made.body.token);
  const member = { email: "member@example.com", display_name: "Member", role: "viewer" as const };
  const added = await client.call(addUser, { body: member });
  secrets.set("a one-time password", added.body.one_time_password ?? "");
  const params = { user_id: added.body.user.id };
  const reset = await client.call(resetPassword, { params });
  secrets.set("another one-time password", reset.body.one_time_password);
  const api = { kind: "api", name: "API", api_url: "http://127.0.0.1:9/v1", api_model: "any" } as const;
  const body = { ...api, secret: modelKeys[0] ?? "" };
  const model = await client.call(createModel, { body, idempotencyKey: "a-key" });
  const ifMatch = model.etag ?? "";
  await client.call(editModel, { params: { model_id: model.body.id }, body: { secret: modelKeys[1] ?? "" }, ifMatch });
  answers.push(JSON.stringify(model.body), JSON.stringify(added.body.user));
  return { token, ids: [model.body.id, added.body.user.id, made.body.id] };
}

interface Document {
  readonly paths: Record<string, Record<string, { operationId: string; requestBody?: unknown }>>;
}

/** It ends the session that all others are called with. */
const notCalled = new Set(["signOut"]);

/** Calls every operation with bodies that hold the secrets where they do not belong, so that refusals would show them. */
async function callEverything(token: string, ids: readonly string[]): Promise<number> {
  const document = (await (await fetch(`${node.url}/api/v1/openapi.json`)).json()) as Document;
  answers.push(JSON.stringify(document));
  const bodies = [JSON.stringify({ password, secret: modelKeys[0], token, name: 1 }), `{"secret":"${password}`, "[]"];
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const called = operations.filter(({ operationId }) => !notCalled.has(operationId));
  for (const { path, method, requestBody } of called) {
    const urls = (path.includes("{") ? ids : ["none"]).map((id) => path.replaceAll(/\{\w+\}/g, id));
    const sent = requestBody === undefined ? [undefined] : bodies;
    for (const [url, body] of urls.flatMap((one) => sent.map((text) => [one, text] as const))) {
      answers.push(await ask(`${node.url}/api/v1${url}`, method, { token, body }));
    }
  }
  return called.length;
}

async function ask(url: string, method: string, sent: { token: string; body: string | undefined }): Promise<string> {
  const response = await fetch(url, {
    method,
    redirect: "manual",
    headers: { authorization: `Bearer ${sent.token}`, "if-match": '"1"', "content-type": "application/json" },
    ...(sent.body !== undefined && { body: sent.body }),
  });
  return `${JSON.stringify([...response.headers])} ${await textOf(response)}`;
}

/** The whole body; of a stream of events, which has no end, what it begins with. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) return response.text();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

/** Every row of every table as PostgreSQL writes it out, so of every column, bytes in hexadecimal. */
const dump = (): Promise<string> =>
  withClient(database.url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    );
    const rows: string[] = [];
    for (const { name } of tables) {
      rows.push(
        ...(await client.query<{ row: string }>(`select t::text as row from ${name} t`)).rows.map(({ row }) => row),
      );
    }
    return rows.join("\n");
  });

const shownIn = (text: string): string[] =>
  [...secrets]
    .filter(([, secret]) => [secret, Buffer.from(secret).toString("hex")].some((form) => text.includes(form)))
    .map(([name]) => name);

test("no secret is in any answer, in the log at its most talkative, or in the database", async () => {
  const { token, ids } = await plant();
  expect(await callEverything(token, ids)).toBeGreaterThan(25);
  for (const secret of secrets.values()) expect(secret.length).toBeGreaterThan(8);
  expect(shownIn(answers.join("\n"))).toEqual([]);
  const log = node.output().replace(/^First sign-in: .*$/m, "");
  expect(log).toContain('"operation":"createModel"');
  expect(shownIn(log)).toEqual([]);
  const rows = await dump();
  expect(rows).toContain("member@example.com");
  expect(shownIn(rows)).toEqual([]);
}, 300_000);
