import { AppError } from "@attune/service-kit/app-error.ts";
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

const nothing = testKind({ run: async () => ({}) });
const statesOf = async (jobId: string) => (await started.listItems(jobId)).map(({ state }) => state);

/** A kind whose items wait for their names to be let go, unless their signal is aborted. */
function holdable() {
  const begun: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gateOf = (name: string) => {
    const gate = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, gate);
    return gate;
  };
  const kind = testKind({
    run: async ({ input, signal }) => {
      begun.push(input.name);
      signal.addEventListener("abort", () => gateOf(input.name).reject(signal.reason as Error));
      await gateOf(input.name).promise;
      return {};
    },
  });
  const hasBegun = async (name: string): Promise<void> => {
    await expect.poll(() => begun.includes(name), waitLong).toBe(true);
  };
  return { kind, begun, hasBegun, letGo: (name: string) => gateOf(name).resolve() };
}

describe("a job", () => {
  test("is not there when the transaction that enqueued it is rolled back", async () => {
    const { database } = started;
    const attempt = database.transaction(async (tx) => {
      await createJobs({ kinds: [nothing], logger }).enqueue(tx, nothing, {
        params: {},
        items: [{ subject: "a", input: { name: "a" } }],
      });
      throw new Error("The request fails.");
    });
    await expect(attempt).rejects.toThrow("The request fails.");
    expect(await database.queries.select().from(jobs)).toEqual([]);
  });

  test("is worked off item by item, and has succeeded when all of them have", async () => {
    const seen: string[] = [];
    const jobId = await started.runAll(
      testKind({
        run: async ({ input, attempt }) => {
          seen.push(`${input.name}${attempt}`);
          return { result: { of: input.name } };
        },
      }),
      ["a", "b", "c"],
    );
    expect(seen).toEqual(["a1", "b1", "c1"]);
    expect(await started.getJob(jobId)).toMatchObject({ state: "succeeded", succeededCount: 3, executorId: null });
    expect((await started.listItems(jobId)).map(({ result }) => result)).toEqual([
      { of: "a" },
      { of: "b" },
      { of: "c" },
    ]);
  });

  test("has the items that its items add", async () => {
    const seen: string[] = [];
    const kind = testKind({
      itemsAtOnce: 3,
      run: async ({ input: { name } }) => {
        seen.push(name);
        return name.length < 3 ? { items: [{ subject: name, input: { name: `${name}+` } }] } : {};
      },
    });
    const jobId = await started.runAll(kind, ["a", "b"]);
    expect(seen.toSorted()).toEqual(["a", "a+", "a++", "b", "b+", "b++"]);
    expect(await started.getJob(jobId)).toMatchObject({ state: "succeeded", succeededCount: 6 });
  });

  test("is one while another with its key is open, and another one afterwards", async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => started.enqueue(nothing, ["a"], "key")));
    expect(new Set(made).size).toBe(1);
    started.addExecutor([nothing]);
    await started.ended(made[0] as string);
    expect(await started.enqueue(nothing, ["a"], "key")).not.toBe(made[0]);
  });

  test("whose input is no longer understood fails with a remedy", async () => {
    const jobId = await started.enqueue(nothing, ["a"]);
    await started.database.pool.query(`update job_items set input = '{"another": 1}'`);
    started.addExecutor([nothing]);
    await started.ended(jobId);
    expect(await started.listItems(jobId)).toMatchObject([{ state: "failed", reason: "JOB_INPUT_UNREADABLE" }]);
  });
});

describe("an item", () => {
  const failing = (name: string) =>
    name === "known"
      ? new AppError("STORAGE_DENIED", { detail: "The key is wrong." })
      : new Error("secret text of a document");

  test("that fails has a reason, a detail and a remedy, and the others are done all the same", async () => {
    const kind = testKind({
      run: async ({ input: { name } }) => {
        if (name !== "right") throw failing(name);
        return {};
      },
    });
    const jobId = await started.runAll(kind, ["known", "unknown", "right"]);
    const [known, unknown] = await started.listItems(jobId);
    expect(known).toMatchObject({
      state: "failed",
      reason: "STORAGE_DENIED",
      detail: "The key is wrong.",
      attempts: 1,
    });
    expect(known?.remedy).toContain("credentials");
    expect(unknown).toMatchObject({ reason: "INTERNAL", detail: `It is in the log under the job ${jobId}.` });
    expect(JSON.stringify(unknown)).not.toContain("secret");
    expect(await started.getJob(jobId)).toMatchObject({ state: "partially_succeeded", failedCount: 2 });
  });

  test("is tried again after a failure that passes, later each time, and only so often", async () => {
    const startsMs: number[] = [];
    const retries = { reasons: ["STORAGE_UNAVAILABLE" as const], maxAttempts: 3, firstDelayMs: 200 };
    const kind = testKind({
      retries,
      run: async ({ input, attempt }) => {
        if (input.name === "passes") startsMs.push(performance.now());
        if (input.name === "stays" || attempt < 3) throw new AppError("STORAGE_UNAVAILABLE");
        return {};
      },
    });
    const jobId = await started.runAll(kind, ["passes", "stays"]);
    expect(await started.listItems(jobId)).toMatchObject([
      { state: "succeeded", attempts: 3, reason: null },
      { state: "failed", attempts: 3, reason: "STORAGE_UNAVAILABLE" },
    ]);
    const [first = 0, second = 0, third = 0] = startsMs;
    expect(second - first).toBeGreaterThanOrEqual(150);
    expect(third - second).toBeGreaterThanOrEqual(300);
  });

  test("does not repeat the steps that are done", async () => {
    const seen: string[] = [];
    const kind = testKind({
      retries: { reasons: ["STORAGE_UNAVAILABLE"], maxAttempts: 3, firstDelayMs: 1 },
      run: async ({ step, transaction, attempt }) => {
        const one = await step("one", async () => seen.push("one"));
        const two = await transaction("two", async () => ({ is: seen.push("two") }));
        if (attempt === 1) throw new AppError("STORAGE_UNAVAILABLE");
        return { result: { one, two } };
      },
    });
    const jobId = await started.runAll(kind, ["a"]);
    expect(seen).toEqual(["one", "two"]);
    expect(await started.listItems(jobId)).toMatchObject([{ attempts: 2, result: { one: 1, two: { is: 2 } } }]);
  });

  test("writes what its end writes, or nothing", async () => {
    const kind = testKind({
      run: async ({ input }) => ({
        commit: async (tx) => {
          await tx.execute(`insert into job_schedules values ('${input.name}', now())`);
          if (input.name === "fails") throw new AppError("STORAGE_FULL");
        },
      }),
    });
    const jobId = await started.runAll(kind, ["ends", "fails"]);
    expect(await statesOf(jobId)).toEqual(["succeeded", "failed"]);
    const { rows } = await started.database.pool.query("select name from job_schedules");
    expect(rows).toEqual([{ name: "ends" }]);
  });
});

describe("cancelling", () => {
  test("ends a job that waits at once", async () => {
    const jobId = await started.enqueue(nothing, ["a", "b"]);
    expect(await started.cancel(nothing, jobId)).toMatchObject({ state: "cancelled", cancelledCount: 2 });
    await expect(started.cancel(nothing, jobId)).rejects.toMatchObject({ reason: "JOB_ENDED" });
  });

  test("stops what is under way, begins nothing more, and keeps what is done", async () => {
    const { kind, begun, hasBegun, letGo } = holdable();
    started.addExecutor([kind]);
    const jobId = await started.enqueue(kind, ["a", "b", "c"]);
    letGo("a");
    await hasBegun("b");
    expect(await started.cancel(kind, jobId)).toMatchObject({ state: "running", cancelledCount: 1 });
    expect(await started.ended(jobId)).toMatchObject({ state: "cancelled", succeededCount: 1, cancelledCount: 2 });
    expect(begun).toEqual(["a", "b"]);
  });
});

describe("a retry", () => {
  const kind = (isRepaired: () => boolean, seen: string[]) =>
    testKind({
      run: async ({ input: { name }, step }) => {
        seen.push(name);
        await step("first", async () => seen.push(`${name} first`));
        if (name === "full" && !isRepaired()) throw new AppError("STORAGE_FULL");
        if (name === "denied" && !isRepaired()) throw new AppError("STORAGE_DENIED");
        return {};
      },
    });

  test("runs the items again that failed for the reason, from the step where they failed, and nothing else", async () => {
    const seen: string[] = [];
    let isRepaired = false;
    const repairable = kind(() => isRepaired, seen);
    const jobId = await started.runAll(repairable, ["right", "full", "denied"]);
    isRepaired = true;
    seen.length = 0;
    expect(await started.retry(repairable, jobId, "STORAGE_FULL")).toMatchObject({ state: "running", queuedCount: 1 });
    expect(await started.ended(jobId)).toMatchObject({ state: "partially_succeeded", succeededCount: 2 });
    expect(seen).toEqual(["full"]);
    await started.retry(repairable, jobId);
    expect(await started.ended(jobId)).toMatchObject({ state: "succeeded", succeededCount: 3 });
    expect(seen).toEqual(["full", "denied"]);
    await expect(started.retry(repairable, jobId)).rejects.toMatchObject({ reason: "JOB_NOTHING_TO_RETRY" });
  });

  test("is refused while the job runs, and while another job does its work", async () => {
    const jobId = await started.enqueue(nothing, ["a"], "key");
    await expect(started.retry(nothing, jobId)).rejects.toMatchObject({ reason: "JOB_NOT_ENDED" });
    const failing = testKind({ run: async () => Promise.reject(new AppError("STORAGE_FULL")) });
    const executor = started.addExecutor([failing]);
    await started.ended(jobId);
    await executor.stop(0);
    await started.enqueue(nothing, ["a"], "key");
    await expect(started.retry(nothing, jobId)).rejects.toMatchObject({ reason: "JOB_ALREADY_RUNNING" });
    expect(await started.getJob(jobId)).toMatchObject({ state: "failed" });
  });
});
