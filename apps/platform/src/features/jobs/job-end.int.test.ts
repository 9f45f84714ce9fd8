import { AppError } from "@attune/service-kit/app-error.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type StartedJobs, startJobs } from "../../testing/start-jobs.ts";
import { testKind } from "./test-kind.fixture.ts";

let started: StartedJobs;

beforeEach(async () => {
  started = await startJobs();
});
afterEach(() => started[Symbol.asyncDispose]());

const nothing = testKind({ run: async () => ({}) });

describe("the end of a job", () => {
  test("is told in its own transaction, once for each time that it ends, however it ends", async () => {
    const told: string[] = [];
    const kind = testKind({
      run: async ({ input: { name } }) => {
        if (name === "fails" && told.length === 0) throw new AppError("STORAGE_FULL");
        return {};
      },
      whenEnded: async (tx, { state }) => {
        told.push(state);
        await tx.execute(`insert into job_schedules values ('${state}', now())`);
      },
    });
    const jobId = await started.runAll(kind, ["right", "fails"]);
    expect(told).toEqual(["partially_succeeded"]);
    await started.retry(kind, jobId);
    await started.ended(jobId);
    expect(told).toEqual(["partially_succeeded", "succeeded"]);
    const { rows } = await started.database.pool.query("select name from job_schedules order by name");
    expect(rows).toEqual([{ name: "partially_succeeded" }, { name: "succeeded" }]);
  });

  test("is the end also when what follows it fails", async () => {
    const kind = testKind({
      run: async () => ({}),
      whenEnded: async (tx) => {
        await tx.execute("insert into no_such_table values (1)");
      },
    });
    const jobId = await started.runAll(kind, ["a"]);
    expect(await started.getJob(jobId)).toMatchObject({ state: "succeeded", succeededCount: 1 });
  });

  test("and its counts are those of the items, whatever moved them", async () => {
    const { pool } = started.database;
    const jobId = await started.enqueue(nothing, ["1", "2", "3", "4"]);
    const states = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
    const move = `update job_items set state = ($1::text[])[item_no], reason = 'INTERNAL', remedy = '' where job_id = $2`;
    for (let code = 0; code < states.length ** 4; code += 7) {
      const items = [1, 5, 25, 125].map((place) => states[Math.floor(code / place) % 5] ?? "queued");
      await pool.query(move, [items, jobId]);
      const { queuedCount, runningCount, succeededCount, failedCount, cancelledCount, ...job } =
        await started.getJob(jobId);
      const counts = states.map((state) => items.filter((one) => one === state).length);
      expect([queuedCount, runningCount, succeededCount, failedCount, cancelledCount]).toEqual(counts);
      expect([items, job.state]).toEqual([items, stateOf(items)]);
      expect(job.endedAt === null).toBe(items.some((state) => isOpen(state)));
    }
  });
});

const isOpen = (state: string): boolean => state === "queued" || state === "running";

/** As the guide for users tells it. */
function stateOf(items: readonly string[]): string {
  const has = (state: string): boolean => items.includes(state);
  if (items.every((state) => state === "queued")) return "queued";
  if (items.some((state) => isOpen(state))) return "running";
  if (has("cancelled")) return "cancelled";
  if (!has("failed")) return "succeeded";
  return has("succeeded") ? "partially_succeeded" : "failed";
}
