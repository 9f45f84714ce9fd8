import { type ApiClient, createClient, ProblemError } from "@attune/contracts/rest/create-client.ts";
import {
  changePassword,
  createApiToken,
  getSignInOptions,
  listApiTokens,
  signIn,
} from "@attune/contracts/rest/identity.ts";
import { createTestDatabase, type TestDatabase } from "@attune/testkit/test-database.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { withClient } from "@attune/testkit/with-client.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PlatformProcess, startPlatform } from "./start-platform.ts";

let database: TestDatabase;
let blocker: Parameters<Parameters<typeof withClient>[1]>[0];
const ended = Promise.withResolvers<void>();

beforeAll(async () => {
  database = await createTestDatabase();
  await new Promise<void>((resolve, reject) => {
    withClient(database.url, (client) => {
      blocker = client;
      resolve();
      return ended.promise;
    }).catch(reject);
  });
});
afterAll(async () => {
  ended.resolve();
  await database.drop();
});

const password = "a test's own password";

async function enter(node: PlatformProcess): Promise<ApiClient> {
  const stranger = createClient({ baseUrl: node.url, token: () => undefined });
  const first = node.firstAdmin;
  const credentials = first ?? { email: "admin@attune.local", password };
  const { body } = await stranger.call(signIn, { body: credentials });
  const client = createClient({ baseUrl: node.url, token: () => body.token });
  if (first !== undefined) {
    const change = { current_password: first.password, new_password: password };
    await client.call(changePassword, { body: change });
  }
  return client;
}

const reasonOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "succeeded",
    (error: unknown) => (error instanceof ProblemError ? error.problem.reason : String(error)),
  );

/** A request that waits for a lock in the database which `blocker` holds until it commits. */
async function makeSlowRequest(client: ApiClient, name: string): Promise<{ slow: Promise<string> }> {
  await blocker.query("begin");
  await blocker.query("lock table api_tokens in share mode");
  const request = reasonOf(client.call(createApiToken, { body: { name, scopes: ["read"] } }));
  await untilTrue(isSomebodyWaiting);
  return { slow: request };
}

const isSomebodyWaiting = async (): Promise<boolean> => {
  const { rowCount } = await blocker.query("select 1 from pg_locks where not granted");
  return (rowCount ?? 0) > 0;
};

const isRefusing = async ({ url }: PlatformProcess): Promise<boolean> =>
  (await reasonOf(createClient({ baseUrl: url, token: () => undefined }).call(getSignInOptions, {}))) ===
  "SHUTTING_DOWN";

/** The time-out of the test ends it. */
async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(20);
}

test("after SIGTERM a request under way ends, new ones are refused, and the status is 0", async () => {
  await using node = await startPlatform(database.url, { PLATFORM_DRAIN_TIMEOUT_MS: "600000" });
  const { slow } = await makeSlowRequest(await enter(node), "slow");
  node.signal("SIGTERM");
  await untilTrue(() => isRefusing(node));
  await blocker.query("commit");
  expect(await slow).toBe("succeeded");
  expect(await node.ended).toBe(0);
}, 300_000);

test("a request that does not end in time is cut off, leaves nothing, and the status is 0", async () => {
  await using node = await startPlatform(database.url, { PLATFORM_DRAIN_TIMEOUT_MS: "500" });
  const { slow } = await makeSlowRequest(await enter(node), "cut off");
  node.signal("SIGTERM");
  expect(await node.ended).toBe(0);
  expect(await slow).toBe("PLATFORM_UNREACHABLE");
  expect(node.output()).toContain("requests did not end in time");
  await blocker.query("commit");
  await using next = await startPlatform(database.url);
  const { body } = await (await enter(next)).call(listApiTokens, {});
  expect(body.items.map(({ name }) => name)).not.toContain("cut off");
}, 300_000);
