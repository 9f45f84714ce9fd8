import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { crashingKind, type CrashOrder, crashProgram } from "./crash-steps.fixture.ts";
import { type StartedJobs, startJobs, waitLong } from "../../testing/start-jobs.ts";

let started: StartedJobs;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  started = await startJobs();
  await started.database.pool.query("create table effects (item text not null, effect text not null)");
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await started[Symbol.asyncDispose]();
});

/** So long that nobody's lease ends within the test. */
const noEndMs = 600_000;
/** It is renewed after a third of that. */
const renewedMs = 12_000;

interface Executor {
  readonly child: ChildProcess;
  /** The points that it passed. */
  readonly points: string[];
  readonly exited: Promise<unknown>;
}

function start(given: Pick<CrashOrder, "crashAt" | "leaseMs"> & Partial<CrashOrder>): Executor {
  const order: CrashOrder = { signal: "SIGKILL", databaseUrl: started.databaseUrl, ...given };
  const argument = JSON.stringify(order);
  const child = spawn(process.execPath, [crashProgram, argument], { stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  const points: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => points.push(...text.split("\n").filter(Boolean)));
  return { child, points, exited: once(child, "exit") };
}

async function kill({ child, exited }: Executor): Promise<void> {
  child.kill("SIGKILL");
  await exited;
}

const enqueue = (names: readonly string[]) =>
  started.enqueue(
    crashingKind(started.database, async () => {}),
    names,
  );
const effects = async () => {
  const { rows } = await started.database.pool.query<{ item: string; effect: string }>("select * from effects");
  await started.database.pool.query("truncate effects");
  return rows.map(({ item, effect }) => `${item} ${effect}`);
};
const count = (all: readonly string[], one: string) => all.filter((text) => text === one).length;

// Every point takes two processes; without CRASH_STEPS=all some, spread over all, stand for them.
const pointCount = 14;
const everyPoint = Array.from({ length: pointCount }, (_, index) => index + 1);
const chosen = process.env["CRASH_STEPS"] === "all" ? everyPoint : [2, 6, 11, 14];

test.each(chosen)(
  "a process that is killed at point %i goes on at its next start, repeats nothing and loses nothing",
  async (crashAt) => {
    const jobId = await enqueue(["a", "b"]);
    const first = start({ crashAt, leaseMs: noEndMs });
    await first.exited;
    const point = first.points.at(-1);
    expect(first.points.length).toBe(crashAt);
    const second = start({ crashAt: 0, leaseMs: noEndMs });
    expect(await started.ended(jobId)).toMatchObject({ state: "succeeded", succeededCount: 2, executorId: null });
    await kill(second);
    const done = await effects();
    for (const item of ["a", "b"]) expect([count(done, `${item} inside`), count(done, `${item} end`)]).toEqual([1, 1]);
    // What happens outside the database is repeated only where it was done and could not be kept.
    const outside = [count(done, "a outside"), count(done, "b outside")].toSorted((one, other) => one - other);
    expect(outside).toEqual(point === "step: done, not kept" ? [1, 2] : [1, 1]);
  },
  180_000,
);

const leaseOf = async (executorId: string | null): Promise<Date | undefined> => {
  const select = "select leased_until from job_executors where id = $1";
  return (await started.database.pool.query<{ leased_until: Date }>(select, [executorId])).rows[0]?.leased_until;
};

test("the jobs of a process that is killed are taken over by one that runs, once its lease has ended", async () => {
  const jobId = await enqueue(["waits"]);
  const first = start({ crashAt: 0, leaseMs: renewedMs });
  await expect.poll(() => first.points, waitLong).toEqual(["begun"]);
  const { executorId } = await started.getJob(jobId);
  const lease = await leaseOf(executorId);
  const second = start({ crashAt: 0, leaseMs: noEndMs });
  // While it lives it renews its lease, and keeps its job.
  await expect.poll(() => leaseOf(executorId), waitLong).not.toEqual(lease);
  expect(await started.getJob(jobId)).toMatchObject({ executorId, fence: 1 });
  await kill(first);
  await started.database.pool.query("update job_executors set leased_until = now() where id = $1", [executorId]);
  await expect.poll(() => second.points, waitLong).toEqual(["begun"]);
  expect(await started.listItems(jobId)).toMatchObject([{ state: "running", attempts: 2 }]);
  await kill(second);
  await started.database.pool.query("delete from jobs");
}, 180_000);

test("a process that stands still for longer than its lease can write nothing of what it was at when it goes on", async () => {
  await started.database.pool.query("delete from job_executors");
  const jobId = await enqueue(["a", "b"]);
  const first = start({ crashAt: 2, signal: "SIGSTOP", leaseMs: renewedMs });
  await expect.poll(() => first.points, waitLong).toEqual(["begun", "step: done, not kept"]);
  const { executorId } = await started.getJob(jobId);
  await started.database.pool.query("update job_executors set leased_until = now() where id = $1", [executorId]);
  const second = start({ crashAt: 0, leaseMs: noEndMs });
  expect(await started.ended(jobId)).toMatchObject({ state: "succeeded", succeededCount: 2 });
  first.child.kill("SIGCONT");
  // It has noticed, and has taken a new lease.
  const countExecutors = async () => (await started.database.pool.query("select 1 from job_executors")).rowCount;
  await expect.poll(countExecutors, waitLong).toBe(3);
  await kill(first);
  await kill(second);
  expect(first.points).toEqual(["begun", "step: done, not kept"]);
  const done = await effects();
  for (const item of ["a", "b"]) expect([count(done, `${item} inside`), count(done, `${item} end`)]).toEqual([1, 1]);
  expect([count(done, "a outside"), count(done, "b outside")]).toEqual([2, 1]);
}, 180_000);

test("a job that is cancelled while nobody works on it is ended by the next process", async () => {
  const jobId = await enqueue(["waits", "b"]);
  const first = start({ crashAt: 0, leaseMs: noEndMs });
  await expect.poll(() => first.points, waitLong).toEqual(["begun"]);
  await kill(first);
  const kind = crashingKind(started.database, async () => {});
  expect(await started.cancel(kind, jobId)).toMatchObject({ state: "running", cancelledCount: 1 });
  const second = start({ crashAt: 0, leaseMs: noEndMs });
  expect(await started.ended(jobId)).toMatchObject({ state: "cancelled", cancelledCount: 2 });
  await kill(second);
  expect(await effects()).toEqual([]);
}, 180_000);
