import { createLogger } from "@attune/service-kit/create-logger.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { readEvents } from "@attune/contracts/rest/read-events.ts";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addBaseModel } from "../../testing/make-models.ts";
import { startTestPlatform, type TestPlatform } from "../../testing/start-test-platform.ts";
import { sessions } from "../identity/tables.ts";
import { selectProtectedModels } from "../models/index.ts";
import { createEventHub } from "./event-hub.ts";

let run: TestPlatform;
beforeAll(async () => {
  run = await startTestPlatform();
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
});

/** The first events of a stream that nothing but `listenerUrl`, or looking without it, tells of new ones. */
async function firstEvents(listenerUrl: string, count: number): Promise<string[]> {
  const { id: userId, email, client } = run.operator;
  const { database } = run.platform;
  const [session] = await database.queries.select().from(sessions).where(eq(sessions.userId, userId));
  const tenantId = (await client.call(getTenant, {})).body.id;
  const none = async () => [];
  const hub = createEventHub({
    database,
    listenerSettings: { url: listenerUrl, connectTimeoutMs: 10_000 },
    // A beat looks for events too: it comes after the test's time is over.
    settings: { maxPerUser: 1, maxPerTenant: 1, heartbeatMs: 600_000, stallTimeoutMs: 600_000 },
    logger: createLogger("test", "silent"),
    findProtected: { model: selectProtectedModels, dataset: none, job: none },
    authorise: () => undefined,
  });
  const credential = { kind: "session" as const, id: session?.id ?? "" };
  const principal = { userId, email, credential, tenant: { id: tenantId, role: "owner" as const } };
  const filter = { resourceKind: undefined, resourceId: undefined };
  const request = { principal: { ...principal, mustChangePassword: false }, tenantId, filter, after: undefined };
  const body = await hub.open({ ...request, requestId: "test" }, new AbortController().signal);
  const made: string[] = [];
  const got: string[] = [];
  made.push((await addBaseModel(run.operator)).body.id);
  for await (const { event, data } of readEvents(body)) {
    if (event !== "change") continue;
    got.push((JSON.parse(data) as { resource_id: string }).resource_id);
    if (got.length === count) break;
    made.push((await addBaseModel(run.operator)).body.id);
  }
  await hub.close();
  expect(got).toEqual(made);
  return got;
}

test("new events are told by the connection that listens", async () => {
  expect(await firstEvents(run.databaseUrl, 4)).toHaveLength(4);
});

test("where nothing can listen, the database is looked at instead", async () => {
  expect(await firstEvents("postgres://127.0.0.1:9/nowhere", 2)).toHaveLength(2);
});
