import { createApiToken } from "@attune/contracts/rest/identity.ts";
import { listOperations, listPlatformOperations } from "@attune/contracts/rest/operation-logs.ts";
import { createTenant, getTenant, renameTenant } from "@attune/contracts/rest/tenants.ts";
import { signIn } from "@attune/contracts/rest/identity.ts";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reasonOf, startTestPlatform, type TestPlatform } from "../../testing/start-test-platform.ts";
import { type VerifiedChain, verifyLog } from "./verify-log.ts";

let run: TestPlatform;
let tenantId: string;

beforeAll(async () => {
  run = await startTestPlatform();
  tenantId = (await run.operator.client.call(getTenant, {})).body.id;
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

async function verify(): Promise<VerifiedChain[]> {
  return Array.fromAsync(verifyLog(run.platform.database.queries));
}

/** What somebody could do who has the database's own superuser. */
async function tamper(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: run.databaseUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica");
    await client.query(statement);
  } finally {
    await client.end();
  }
}

test("an operation is a line, with who, what, on which, from where and how it ended", async () => {
  const { etag = "" } = await run.operator.client.call(getTenant, {});
  await run.operator.client.call(renameTenant, { body: { name: "Renamed" }, ifMatch: etag });
  const viewer = await run.addMember("viewer");
  await reasonOf(viewer.client.call(renameTenant, { body: { name: "Mine" }, ifMatch: '"2"' }));
  const { body } = await run.operator.client.call(listOperations, { query: { action: "renameTenant" } });
  expect(body.items).toMatchObject([
    { actor: viewer.email, outcome: "refused", reason: "PERMISSION_DENIED", user_id: viewer.id, ip: "127.0.0.1" },
    {
      actor: run.operator.email,
      outcome: "succeeded",
      reason: null,
      resource_kind: "tenant",
      resource_id: tenantId,
      details: { from: "Default", to: "Renamed" },
    },
  ]);
});

test("a sign-in that failed is a line of the platform, with the address that was given and without the password", async () => {
  await reasonOf(run.stranger.call(signIn, { body: { email: "guess@example.com", password: "a guessed one" } }));
  const { body } = await run.operator.client.call(listPlatformOperations, { query: { outcome: "refused" } });
  expect(body.items[0]).toMatchObject({ actor: "guess@example.com", action: "signIn", reason: "SIGN_IN_FAILED" });
  expect(JSON.stringify(body)).not.toContain("a guessed one");
});

test("no line holds a token or a password that was shown", async () => {
  const { body } = await run.operator.client.call(createApiToken, { body: { name: "t", scopes: ["read"] } });
  const lines = await run.operator.client.call(listOperations, { query: { limit: 200 } });
  expect(JSON.stringify(lines.body)).not.toContain(body.token.slice(5));
});

test("lines of operations made at once are all there, one after the other", async () => {
  const names = Array.from({ length: 24 }, (_, at) => `at once ${at}`);
  const make = (name: string) => run.operator.client.call(createApiToken, { body: { name, scopes: ["read"] } });
  await Promise.all(names.map(make));
  const { body } = await run.operator.client.call(listOperations, { query: { action: "createApiToken", limit: 200 } });
  const made = body.items.map(({ details }) => details?.["name"]);
  expect(made).toEqual(expect.arrayContaining(names));
  const all = await run.operator.client.call(listOperations, { query: { limit: 200 } });
  const seqs = all.body.items.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) - index));
});

test("pages follow one another without a gap, while lines are added", async () => {
  const first = await run.operator.client.call(listOperations, { query: { limit: 5 } });
  await run.operator.client.call(createApiToken, { body: { name: "between", scopes: ["read"] } });
  const cursor = first.body.next_cursor ?? "";
  const second = await run.operator.client.call(listOperations, { query: { limit: 5, cursor } });
  expect(second.body.items[0]?.seq).toBe((first.body.items.at(-1)?.seq ?? 0) - 1);
  const bad = run.operator.client.call(listOperations, { query: { cursor: "nonsense" } });
  expect(await reasonOf(bad)).toBe("REQUEST_INVALID");
});

test("the database refuses to change, remove or empty lines", async () => {
  const { pool } = run.platform.database;
  for (const statement of [
    "update operation_logs set actor = 'somebody else'",
    "delete from operation_logs",
    "truncate operation_logs",
  ]) {
    await expect(pool.query(statement)).rejects.toThrow("append-only");
  }
});

test("the verifier finds every chain whole, then a changed line, a removed one and a lost end", async () => {
  await run.operator.client.call(createTenant, {
    body: { name: "Another", owner_email: "another@example.com", owner_display_name: "Another" },
  });
  expect((await verify()).filter(({ fault }) => fault !== undefined)).toEqual([]);
  await tamper(`update operation_logs set actor = 'nobody' where chain = '${tenantId}' and seq = 3`);
  expect((await verify()).find(({ chain }) => chain === tenantId)?.fault).toContain("line 3 is not what it was");
  await tamper(`delete from operation_logs where chain = '${tenantId}' and seq = 2`);
  expect((await verify()).find(({ chain }) => chain === tenantId)?.fault).toContain("line 2 is missing");
  await tamper(
    "delete from operation_logs where chain = 'platform' and seq = (select max(seq) from operation_logs where chain = 'platform')",
  );
  expect((await verify()).find(({ chain }) => chain === "platform")?.fault).toMatch(
    /it ends at line \d+, and its end says \d+/,
  );
});
