import { createLogger } from "@attune/service-kit/create-logger.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createJobs } from "./jobs.ts";
import { type StartedJobs, startJobs, waitLong } from "../../testing/start-jobs.ts";
import { jobs } from "./tables.ts";
import { testKind } from "./test-kind.fixture.ts";

const logger = createLogger("test", "silent");
let started: StartedJobs;

beforeEach(async () => {
  started = await startJobs();
});
afterEach(() => started[Symbol.asyncDispose]());

/** Ends the leases of all executors but the last, as if they had not been heard of for long. */
const endLeases = () =>
  started.database.pool.query(
    "update job_executors set leased_until = now() - interval '1 second' where id <> (select max(id::text)::uuid from job_executors)",
  );
const countExecutors = async () => (await started.database.pool.query("select 1 from job_executors")).rowCount;

describe("several executors", () => {
  test("share the jobs, and do every item once", async () => {
    const seen: string[] = [];
    const kind = testKind({
      itemsAtOnce: 2,
      run: async ({ jobId, input }) => {
        seen.push(`${jobId} ${input.name}`);
        return {};
      },
    });
    const names = ["a", "b", "c", "d", "e"];
    const ids = await Promise.all(Array.from({ length: 20 }, () => started.enqueue(kind, names)));
    for (let count = 0; count < 3; count++) started.addExecutor([kind], { jobsAtOnce: 2 });
    for (const id of ids) expect(await started.ended(id)).toMatchObject({ state: "succeeded", succeededCount: 5 });
    expect(seen.toSorted()).toEqual(ids.flatMap((id) => names.map((name) => `${id} ${name}`)).toSorted());
  });

  test("begin scheduled work once", async () => {
    const kind = testKind({ run: async () => ({}) });
    const schedule = {
      name: "often",
      everyMs: 3_600_000,
      enqueue: async (tx: Parameters<ReturnType<typeof createJobs>["enqueue"]>[0]) => {
        await createJobs({ kinds: [kind], logger }).enqueue(tx, kind, {
          params: {},
          items: [{ subject: "a", input: { name: "a" } }],
        });
      },
    };
    for (let count = 0; count < 4; count++) started.addExecutor([kind], {}, [schedule]);
    await expect.poll(countExecutors, waitLong).toBe(4);
    const { queries } = started.database;
    await expect
      .poll(async () => (await queries.select().from(jobs)).map(({ state }) => state), waitLong)
      .toEqual(["succeeded"]);
  });
});

describe("an executor that is not heard of", () => {
  test("loses its jobs to another one, and can write nothing of them, also while the other one is at the same item", async () => {
    const gates = { stalled: Promise.withResolvers<void>(), other: Promise.withResolvers<void>() };
    const begun: string[] = [];
    const told: unknown[] = [];
    const kindOf = (who: keyof typeof gates) =>
      testKind({
        run: async ({ input, step, transaction }) => {
          begun.push(`${who} ${input.name}`);
          await step("before", async () => who);
          await gates[who].promise;
          const write = transaction("effect", async (tx) => {
            await tx.execute(`insert into job_schedules values ('${input.name} by ${who}', now())`);
          });
          await write.catch((error: unknown) => told.push(error));
          // The end of the item is refused as well.
          return { result: { who } };
        },
      });
    const jobId = await started.enqueue(kindOf("stalled"), ["a", "b"]);
    // It looks around once, and never learns that somebody else has its job.
    const stalled = started.addExecutor([kindOf("stalled")], { leaseMs: 3_600_000, pollMs: 3_600_000 });
    await expect.poll(() => begun, waitLong).toEqual(["stalled a"]);
    started.addExecutor([kindOf("other")]);
    await expect.poll(countExecutors, waitLong).toBe(2);
    await endLeases();
    await expect.poll(() => begun, waitLong).toEqual(["stalled a", "other a"]);
    gates.stalled.resolve();
    await stalled.stop(60_000);
    expect(String(told[0])).toContain("taken the job over");
    expect(await started.listItems(jobId)).toMatchObject([{ state: "running", attempts: 2 }, { state: "queued" }]);
    gates.other.resolve();
    expect(await started.ended(jobId)).toMatchObject({ state: "succeeded", succeededCount: 2 });
    expect([told.length, begun]).toEqual([1, ["stalled a", "other a", "other b"]]);
    const { rows } = await started.database.pool.query("select name from job_schedules order by name");
    expect(rows).toEqual([{ name: "a by other" }, { name: "b by other" }]);
    expect((await started.listItems(jobId)).map(({ result, steps }) => [result, steps["before"]])).toEqual([
      [{ who: "other" }, "stalled"],
      [{ who: "other" }, "other"],
    ]);
  });

  test("takes a new lease and works again", async () => {
    const kind = testKind({ run: async () => ({}) });
    started.addExecutor([kind], { leaseMs: 1000 });
    await expect.poll(countExecutors, waitLong).toBe(1);
    await started.database.pool.query("delete from job_executors");
    await expect.poll(countExecutors, waitLong).toBe(1);
    expect(await started.ended(await started.enqueue(kind, ["a"]))).toMatchObject({ state: "succeeded" });
  });
});

describe("an executor that is stopped", () => {
  test("waits for the item under way, begins no other, and leaves the rest to the next", async () => {
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const kind = testKind({
      run: async ({ input }) => {
        begun.push(input.name);
        await gate.promise;
        return {};
      },
    });
    const executor = started.addExecutor([kind]);
    const jobId = await started.enqueue(kind, ["a", "b"]);
    await expect.poll(() => begun, waitLong).toEqual(["a"]);
    const stopped = executor.stop(60_000);
    gate.resolve();
    await stopped;
    expect(begun).toEqual(["a"]);
    expect(await started.getJob(jobId)).toMatchObject({ state: "running", succeededCount: 1, executorId: null });
    expect(await countExecutors()).toBe(0);
    started.addExecutor([kind]);
    expect(await started.ended(jobId)).toMatchObject({ state: "succeeded", succeededCount: 2 });
    expect(begun).toEqual(["a", "b"]);
  });

  test("gives back what does not end in time, heeding its signal or not, and counts no attempt", async () => {
    const begun: string[] = [];
    const gate = Promise.withResolvers<void>();
    const kind = testKind({
      itemsAtOnce: 2,
      run: async ({ input, signal }) => {
        begun.push(input.name);
        if (begun.length > 2) return {};
        if (input.name === "heeds") await new Promise((_, reject) => signal.addEventListener("abort", reject));
        await gate.promise;
        return { result: { is: "late" } };
      },
    });
    const executor = started.addExecutor([kind]);
    const jobId = await started.enqueue(kind, ["heeds", "ignores"]);
    await expect.poll(() => begun.length, waitLong).toBe(2);
    await executor.stop(0);
    expect(await started.getJob(jobId)).toMatchObject({ state: "queued", queuedCount: 2, executorId: null });
    gate.resolve();
    started.addExecutor([kind]);
    await started.ended(jobId);
    expect(await started.listItems(jobId)).toMatchObject([
      { state: "succeeded", attempts: 1, result: null },
      { state: "succeeded", attempts: 1, result: null },
    ]);
  });
});
