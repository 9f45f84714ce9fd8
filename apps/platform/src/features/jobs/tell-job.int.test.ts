import { AppError } from "@attune/service-kit/app-error.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { getTenant } from "@attune/contracts/rest/tenants.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Follower, follow } from "../../testing/follow.ts";
import { startTestPlatform, type TestPlatform } from "../../testing/start-test-platform.ts";
import { type JobExecutor, startExecutor } from "./executor.ts";
import { createJobs } from "./jobs.ts";
import { testKind } from "./test-kind.fixture.ts";

const logger = createLogger("test", "silent");
let run: TestPlatform;
let tenantId: string;
let executor: JobExecutor;
let hasFailed = false;
/** Items named "fail" fail the first time. */
const kind = testKind({
  run: async ({ input }) => {
    if (input.name !== "fail" || hasFailed) return {};
    hasFailed = true;
    return { failure: new AppError("DATASET_EMPTY") };
  },
});

beforeAll(async () => {
  run = await startTestPlatform();
  tenantId = (await run.operator.client.call(getTenant, {})).body.id;
  const settings = { leaseMs: 60_000, pollMs: 20, jobsAtOnce: 4 };
  executor = startExecutor({ database: run.platform.database, logger, kinds: [kind], schedules: [], settings });
});
afterAll(async () => {
  await executor.stop(0);
  await run[Symbol.asyncDispose]();
});

const enqueue = (names: readonly string[], settings: { isPrivate?: boolean; tenantId?: string } = { tenantId }) =>
  run.platform.database.transaction(async (tx) => {
    const items = names.map((name) => ({ subject: name, input: { name } }));
    return (await createJobs({ kinds: [kind], logger }).enqueue(tx, kind, { params: {}, items, ...settings })).id;
  });

const hasEnded = (jobId: string) => (all: Follower["changes"]) =>
  all.some(({ type, resource_id: id }) => id === jobId && type === "job.ended");

test("a job tells its beginning, its progress by the hundredth part, and its end", async () => {
  await using follower = await follow(run.operator.client);
  const jobId = await enqueue(Array.from({ length: 150 }, (_, index) => `${index}`));
  const changes = await follower.until(hasEnded(jobId));
  expect(changes[0]).toMatchObject({
    type: "job.created",
    data: { kind: "test", state: "queued", ended_count: 0, item_count: 150 },
  });
  expect(changes.at(-1)?.data).toMatchObject({ state: "succeeded", ended_count: 150 });
  const progress = changes.slice(1, -1).map(({ type, data }) => [type, data["ended_count"]] as const);
  expect(progress.every(([type]) => type === "job.changed")).toBe(true);
  expect(progress.map(([, ended]) => ended)).toEqual(
    Array.from({ length: 99 }, (_, index) => Math.ceil((index + 1) * 1.5)),
  );
}, 120_000);

test("a job that is tried again and one that is cancelled tell so", async () => {
  await using follower = await follow(run.operator.client);
  const jobId = await enqueue(["fail"]);
  await follower.until(hasEnded(jobId));
  const told = follower.changes.length;
  await run.platform.database.transaction((tx) => createJobs({ kinds: [kind], logger }).retry(tx, jobId));
  await follower.until((all) => hasEnded(jobId)(all.slice(told)));
  expect(follower.changes.map(({ type, data }) => [type, data["state"]])).toEqual([
    ["job.created", "queued"],
    ["job.ended", "failed"],
    ["job.changed", "queued"],
    ["job.ended", "succeeded"],
  ]);
}, 120_000);

test("a private job of somebody else and work of the platform are not told", async () => {
  const viewer = await run.addMember("viewer");
  await using follower = await follow(viewer.client);
  await enqueue(["a"], { tenantId, isPrivate: true });
  await enqueue(["a"], {});
  const shared = await enqueue(["a"]);
  const changes = await follower.until(hasEnded(shared));
  expect(new Set(changes.map(({ resource_id: id }) => id))).toEqual(new Set([shared]));
}, 120_000);
