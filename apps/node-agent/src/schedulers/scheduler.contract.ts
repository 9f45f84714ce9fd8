import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { ClusterJob, ClusterStatus, PlacedJob, Scheduler } from "./scheduler.ts";

/** A scheduler with a cluster of its own that has as many GPUs and nothing else to do. */
export interface SchedulerUnderTest {
  readonly scheduler: Scheduler;
  /** On storage that the cluster sees. */
  readonly folder: string;
  /** The most that one job can have; two such jobs do not fit at once. */
  readonly gpus: number;
  /** Whether the cluster numbers GPUs for its jobs. */
  readonly tellsGpus: boolean;
}

const worker = join(import.meta.dirname, "testing/cluster-worker.ts");
const endedStates = ["succeeded", "failed", "stopped", "lost"];
let count = 0;

/** A job of the worker for tests in a new run folder. */
export function makeJob(folder: string, args: readonly string[] = [], more: Partial<ClusterJob> = {}): ClusterJob {
  const id = `run-${process.pid}-${count++}`;
  const runFolder = join(folder, id);
  mkdirSync(runFolder, { recursive: true });
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", NODE_NO_WARNINGS: "1" };
  return {
    id,
    command: { program: process.execPath, args: [worker, ...args], env },
    runFolder,
    gpus: 0,
    cpus: 1,
    memoryMb: undefined,
    graceSeconds: 20,
    ...more,
  };
}

export async function place(scheduler: Scheduler, job: ClusterJob): Promise<PlacedJob> {
  return { reference: await scheduler.submit(job), runFolder: job.runFolder };
}

/** Asks until the state is one of those. @throws Error with what was said last when it does not come within a minute. */
export async function untilState(
  scheduler: Scheduler,
  job: PlacedJob,
  states: readonly string[] = endedStates,
): Promise<ClusterStatus> {
  const endMs = performance.now() + 60_000;
  for (;;) {
    const status = await scheduler.status(job);
    if (states.includes(status.state)) return status;
    if (performance.now() > endMs || endedStates.includes(status.state)) {
      const told = JSON.stringify({ status, log: logOf(job), events: typesOf(job).slice(-3) });
      throw new Error(`not ${states.join(", ")} but ${told}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

type Told = Readonly<Record<string, unknown>>;

export function eventsOf({ runFolder }: { readonly runFolder: string }): readonly Told[] {
  const path = join(runFolder, "events.ndjson");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Told);
}

export const typesOf = (job: { readonly runFolder: string }): readonly unknown[] =>
  eventsOf(job).map(({ type }) => type);

export async function untilSteps(job: { readonly runFolder: string }): Promise<void> {
  await expect.poll(() => typesOf(job), { timeout: 60_000 }).toContain("metrics");
}

export function logOf({ runFolder }: { readonly runFolder: string }): string {
  const path = join(runFolder, "run.log");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

const exitOf = ({ runFolder }: PlacedJob): unknown => JSON.parse(readFileSync(join(runFolder, "exit.json"), "utf8"));

/** What every scheduler must do; `start` is called once. */
export function describeScheduler(name: string, start: () => Promise<SchedulerUnderTest>): void {
  describe(`${name}: the contract of schedulers`, { timeout: 180_000 }, () => {
    let tested: SchedulerUnderTest;
    beforeAll(async () => void (tested = await start()));

    test("reports what it is and what it has", async () => {
      const report = await tested.scheduler.report();
      expect(report).toMatchObject({ name: tested.scheduler.name, available: true, unavailableReason: "" });
      expect(report.pools.reduce((sum, { gpusTotal }) => sum + (gpusTotal ?? 0), 0)).toBeGreaterThanOrEqual(
        tested.gpus,
      );
    });

    test("runs a command to its end, whatever its words hold", async () => {
      const words = ["two words", "it's", "$(id)`id`", "a\nb", "", "*", "ä\\", '"$PATH"'];
      const job = await place(tested.scheduler, makeJob(tested.folder, words));
      expect(await untilState(tested.scheduler, job)).toMatchObject({ state: "succeeded", exitCode: 0, signal: null });
      expect(eventsOf(job)[0]).toMatchObject({ type: "hello", args: words, gpus: "" });
      expect(typesOf(job).at(-1)).toBe("done");
      expect(logOf(job)).toContain("worker: a line for the log");
      expect(exitOf(job)).toMatchObject({ code: 0, signal: null, spawn_error: null });
    });

    test("the same id gives the same job, also at once, and it runs once", async () => {
      const job = makeJob(tested.folder, ["steps=20"]);
      const references = await Promise.all([tested.scheduler.submit(job), tested.scheduler.submit(job)]);
      const again = await tested.scheduler.submit(job);
      expect(new Set([...references, again, await tested.scheduler.find(job.id)]).size).toBe(1);
      expect(await tested.scheduler.find("unknown")).toBe(undefined);
      const placed = { reference: again, runFolder: job.runFolder };
      await untilState(tested.scheduler, placed);
      expect(await tested.scheduler.submit(job)).toBe(again);
      expect(typesOf(placed).filter((type) => type === "hello")).toHaveLength(1);
    });

    test("tells the status of a command that fails", async () => {
      const job = await place(tested.scheduler, makeJob(tested.folder, ["exit=5", "steps=1"]));
      const status = await untilState(tested.scheduler, job);
      expect(status).toMatchObject({ state: "failed", exitCode: 5, signal: null });
      expect(status.reason).toContain("status 5");
      expect(exitOf(job)).toMatchObject({ code: 5, signal: null });
    });

    test("a program that is missing on the machine is told as that", async () => {
      const command = { program: "/nowhere/python", args: [], env: {} };
      const job = await place(tested.scheduler, makeJob(tested.folder, [], { command }));
      expect(await untilState(tested.scheduler, job)).toMatchObject({ state: "failed", exitCode: 127 });
      expect(exitOf(job)).toMatchObject({ code: null, spawn_error: expect.stringContaining("not on the machine") });
    });

    test("a request to stop lets it save a checkpoint", async () => {
      const job = await place(tested.scheduler, makeJob(tested.folder, ["steps=10000"]));
      await untilSteps(job);
      await tested.scheduler.stop(job);
      await tested.scheduler.stop(job);
      // Its worker ended by itself, with status 0; that it was cancelled stands in its events.
      expect(await untilState(tested.scheduler, job)).toMatchObject({ state: "succeeded", exitCode: 0 });
      expect(typesOf(job).slice(-2)).toEqual(["checkpoint", "done"]);
      expect(existsSync(join(job.runFolder, "output/checkpoint"))).toBe(true);
      await tested.scheduler.stop(job);
      await tested.scheduler.end(job);
    });

    test("what does not end within its grace time is killed, and nothing of it is left", async () => {
      const job = await place(
        tested.scheduler,
        makeJob(tested.folder, ["steps=10000", "deaf", "leaves-child"], { graceSeconds: 1 }),
      );
      await untilSteps(job);
      await tested.scheduler.stop(job);
      const status = await untilState(tested.scheduler, job);
      expect(status).toMatchObject({ state: "stopped", signal: 9 });
      expect(status.reason).toContain("grace");
      expect(exitOf(job)).toMatchObject({ code: null, signal: "SIGKILL" });
      expect(processesOf(job)).toEqual([]);
    });

    test("end does not wait", async () => {
      const job = await place(tested.scheduler, makeJob(tested.folder, ["steps=10000", "deaf"], { graceSeconds: 1 }));
      await untilSteps(job);
      await tested.scheduler.end(job);
      expect(await untilState(tested.scheduler, job)).toMatchObject({ state: "stopped" });
      expect(processesOf(job)).toEqual([]);
    });

    test("gives GPUs; a job that waits says for what, and never begins when it is stopped", async () => {
      const { scheduler, folder, gpus, tellsGpus } = tested;
      const first = await place(scheduler, makeJob(folder, ["steps=10000"], { gpus }));
      await untilSteps(first);
      const [hello] = eventsOf(first);
      expect(String(hello?.["gpus"]).split(",")).toHaveLength(gpus);
      expect((await scheduler.status(first)).gpus).toHaveLength(tellsGpus ? gpus : 0);
      const second = await place(scheduler, makeJob(folder, [], { gpus }));
      const queued = await untilState(scheduler, second, ["queued"]);
      expect(queued.reason).toMatch(/\w+ \w+/);
      await scheduler.stop(second);
      expect(await untilState(scheduler, second)).toMatchObject({ state: "stopped" });
      await scheduler.end(first);
      await untilState(scheduler, first);
      expect(eventsOf(second)).toEqual([]);
    });

    test("a job that nobody knows is lost, and can be stopped all the same", async () => {
      const { runFolder } = makeJob(tested.folder);
      const job = { reference: "987654321", runFolder };
      expect(await tested.scheduler.status(job)).toMatchObject({ state: "lost", cause: expect.any(String) });
      await tested.scheduler.stop(job);
      await tested.scheduler.end(job);
    });
  });
}

/** Ids of the processes that have the run's folder in their environment. */
function processesOf({ runFolder }: PlacedJob): readonly string[] {
  const { readdirSync } = process.getBuiltinModule("node:fs");
  return readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`ATTUNE_RUN_DIR=${runFolder}\0`)
      );
    } catch {
      return false;
    }
  });
}
