import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@attune/contracts/rest/create-client.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assemblePlatform } from "../../assemble-platform.ts";
import { loadConfig } from "../../config.ts";
import { type Follower, follow } from "../../testing/follow.ts";
import { addBaseModel } from "../../testing/make-models.ts";
import { reasonOf, startTestPlatform, type TestPlatform, type TestUser } from "../../testing/start-test-platform.ts";

let run: TestPlatform;
beforeAll(async () => {
  run = await startTestPlatform({
    PLATFORM_RATE_PER_SECOND: "100000",
    PLATFORM_EVENT_HEARTBEAT_MS: "200",
    PLATFORM_EVENT_STALL_TIMEOUT_MS: "1000",
    PLATFORM_EVENT_STREAMS_PER_USER: "4",
    PLATFORM_EVENT_STREAMS_PER_TENANT: "6",
  });
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

const tenantOf = async ({ client }: TestUser): Promise<string> => (await client.call(getTenant, {})).body.id;

/** More than the buffers of two sockets hold. */
const flood = 6000;

/** Writes so many large events of a model at once. */
async function floodWith(tenantId: string, modelId: string): Promise<void> {
  const data = JSON.stringify({ text: "x".repeat(1900) });
  await run.platform.database.transaction(async (tx) => {
    await tx.execute(sql`
      insert into events (tenant_id, seq, type, resource_kind, resource_id, data, created_at)
      select tenant_id, seq + n, 'model.changed', 'model', ${modelId}::uuid, ${data}::jsonb, now()
      from event_heads, generate_series(1, ${flood}) n where tenant_id = ${tenantId}::uuid`);
    await tx.execute(sql`update event_heads set seq = seq + ${flood} where tenant_id = ${tenantId}::uuid`);
  });
}

/** Opens a stream and takes nothing of it. */
async function openWithoutReading(token: string, after: string): Promise<IncomingMessage> {
  const request = get(`${run.baseUrl}/api/v1/events?after=${after}`, { headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

test("readers who take nothing are cut off and can resume, and delay nobody", async () => {
  const owner = await run.addTenant("Slow readers");
  const modelId = (await addBaseModel(owner)).body.id;
  const after = "1";
  await floodWith(await tenantOf(owner), modelId);
  const idle = await Promise.all([openWithoutReading(owner.token, after), openWithoutReading(owner.token, after)]);
  const cut = idle.map((response) => once(response, "error"));
  {
    await using quick = await follow(owner.client, { after });
    const changes = await quick.until((all) => all.length >= flood);
    expect(changes.map(({ id }) => Number(id))).toEqual(Array.from({ length: flood }, (_, index) => index + 2));
  }
  // The user may have four streams, so that all four can be opened only when the idle ones are gone.
  let room: PromiseSettledResult<Follower>[] = [];
  while (room.filter(({ status }) => status === "fulfilled").length < 4) {
    for (const one of room) if (one.status === "fulfilled") await one.value[Symbol.asyncDispose]();
    room = await Promise.allSettled([1, 2, 3, 4].map(() => follow(owner.client)));
  }
  for (const one of room) if (one.status === "fulfilled") await one.value[Symbol.asyncDispose]();
  // Reading what is left shows the break, without which it would be taken for the end.
  for (const response of idle) response.resume();
  for (const [error] of await Promise.all(cut)) expect(error).toMatchObject({ code: "ECONNRESET" });
}, 120_000);

test("streams of one user and of one tenant are limited, and one that is closed makes room", async () => {
  const owner = await run.addTenant("Many streams");
  const member = await run.addMember("viewer", owner);
  const open = await Promise.all([1, 2, 3, 4].map(() => follow(owner.client)));
  const problem = await follow(owner.client).catch((error: unknown) => error);
  expect(problem).toMatchObject({
    problem: { reason: "EVENT_STREAMS_TAKEN", status: 429, detail: "You have 4 streams of events open on this node." },
  });
  const others = [await follow(member.client), await follow(member.client)];
  expect(await reasonOf(follow(member.client))).toBe("EVENT_STREAMS_TAKEN");
  await open[0]?.[Symbol.asyncDispose]();
  let next = await follow(member.client).catch(() => undefined);
  while (next === undefined) next = await follow(member.client).catch(() => undefined);
  for (const follower of [...open, ...others, next]) await follower[Symbol.asyncDispose]();
});

const killListeners = async (): Promise<number> => {
  const { rowCount } = await run.platform.database.queries.execute(
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'attune-platform-listener'`,
  );
  return rowCount ?? 0;
};

test("all streams share one connection that listens, and its loss loses no event", async () => {
  const owner = await run.addTenant("Listener");
  const other = await run.addTenant("Listener too");
  await using follower = await follow(owner.client);
  await using elsewhere = await follow(other.client);
  for (let round = 1; round <= 3; round++) {
    let killed = 0;
    while (killed === 0) killed = await killListeners();
    expect(killed).toBe(1);
    await Promise.all([addBaseModel(owner), addBaseModel(other)]);
    await Promise.all([follower, elsewhere].map((one) => one.until((all) => all.length >= round)));
  }
  expect([follower.changes.length, elsewhere.changes.length]).toEqual([3, 3]);
}, 60_000);

test("what one node commits is told by another, and readers of one that stops go on there without a gap", async () => {
  const folder = await mkdtemp(join(tmpdir(), "attune-second-node-"));
  const config = loadConfig({
    DATABASE_URL: run.databaseUrl,
    PLATFORM_STORE_PATH: folder,
    PLATFORM_LOG_LEVEL: "silent",
    PLATFORM_SECRET_KEY: Buffer.alloc(32, "k").toString("base64"),
  });
  const second = await assemblePlatform(config, createLogger("test", config.logLevel));
  const baseUrl = await second.server.listen({ host: "127.0.0.1", port: 0 });
  const owner = await run.addTenant("Two nodes");
  const there = createClient({ baseUrl, token: () => owner.token });
  await using follower = await follow(there);
  const first = (await addBaseModel(owner)).body.id;
  await follower.until((all) => all.length > 0);
  await second.close();
  expect(await follower.ended).toBe("SHUTTING_DOWN");
  const next = (await addBaseModel(owner)).body.id;
  await using resumed = await follow(owner.client, {}, follower.lastId());
  await resumed.until((all) => all.length > 0);
  expect([...follower.changes, ...resumed.changes].map(({ resource_id: id }) => id)).toEqual([first, next]);
  await rm(folder, { recursive: true });
});
