import type { AppError } from "@attune/service-kit/app-error.ts";
import { afterEach, describe, expect, it } from "vitest";
import type { WorkerPool } from "./create-worker-pool.ts";
import type { WorkerPoolSettings } from "./pool-settings.ts";
import { hasLevel } from "./testing/has-level.ts";
import { plainOptions } from "./testing/parse-options.ts";
import {
  findWorkers,
  limitsWithin,
  noSignal,
  reasonOf,
  startHarness,
  unstartableEntry,
  until,
} from "./testing/pool-harness.ts";

const levels = {
  process: await hasLevel("process"),
  bubblewrap: await hasLevel("bubblewrap"),
};
const pools: WorkerPool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

describe.each(["process", "bubblewrap"] as const)("a pool of misbehaving workers at level %s", (level) => {
  const start = async (settings: Partial<WorkerPoolSettings> = {}) => {
    const harness = await startHarness(level, settings);
    pools.push(harness.pool);
    return harness;
  };

  describe.skipIf(!levels[level])("of this machine", () => {
    it("frees a worker at once when the caller goes, and rejects with the caller's reason", async () => {
      const { pool, act } = await start();
      await act("echo=warm");
      const controller = new AbortController();
      const reading = reasonOf(act("loop", controller.signal));
      await until(() => pool.stats().busy === 1);
      const [pid = 0] = findWorkers();
      const reason = new Error("the caller has gone");
      const abortedAtMs = performance.now();
      controller.abort(reason);
      expect(await reading).toBe(reason);
      await until(() => !findWorkers().includes(pid), 500);
      process.stderr.write(`${level}: cancelled worker gone after ${Math.round(performance.now() - abortedAtMs)} ms\n`);
      expect(await act("echo=again")).toBe("again");
      expect(pool.stats().restarts.cancelled).toBe(1);
    });

    it("leaves a worker alone when the caller goes while waiting for it", async () => {
      const { pool, act } = await start();
      await act("echo=warm");
      const first = act("sleep=200");
      const controller = new AbortController();
      const second = reasonOf(act("echo=2", controller.signal));
      expect(pool.stats().queued).toBe(1);
      controller.abort("no longer wanted");
      expect(await second).toBe("no longer wanted");
      expect(await first).toBe("slept");
      expect(pool.stats()).toMatchObject({ queued: 0, restarts: { cancelled: 0 } });
    });

    it("stops an endless loop soon after its time, and goes on", async () => {
      const { pool, act } = await start({ limits: limitsWithin(300) });
      await act("echo=warm");
      const startedAtMs = performance.now();
      expect(await reasonOf(act("loop"))).toBe("PARSE_TIMEOUT");
      expect(performance.now() - startedAtMs).toBeLessThan(20_000);
      expect(await act("echo=again")).toBe("again");
      expect(pool.stats().restarts.timeout).toBe(1);
    });

    it("gives a document the time that its override asks for, within the bound", async () => {
      const { pool } = await start({ limits: limitsWithin(60_000), maxTimeoutMs: 200 });
      const input = { bytes: new Uint8Array(1), fileName: "loop", format: "txt" };
      const options = { ...plainOptions, timeoutMs: 5000 };
      expect(await reasonOf(pool.read(input, options, noSignal))).toBe("PARSE_TIMEOUT");
    });

    it.each(["buffers", "heap", "strings", "pages", "inflate", "replace", "external"])(
      "contains a memory bomb of %s while others go on",
      async (bomb) => {
        const { pool, act } = await start({ workers: 2 });
        const bombed = reasonOf(act(bomb));
        const others = await Promise.all(Array.from({ length: 20 }, (_, index) => act(`echo=${index}`)));
        expect(others).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
        expect(await bombed).toBe("MEMORY_EXCEEDED");
        expect(pool.stats().restarts).toMatchObject({ memory: 1, crash: 0 });
      },
    );

    it("tries a document again when its worker is killed from outside, and nobody notices", async () => {
      const { pool, act } = await start();
      await act("echo=warm");
      const reading = act("sleep=600");
      await until(() => pool.stats().busy === 1);
      const [pid = 0] = findWorkers();
      process.kill(pid, "SIGKILL");
      expect(await reading).toBe("slept");
      expect(pool.stats()).toMatchObject({ retried: 1, restarts: { crash: 1 } });
    });

    it.each(["exit=1", "exit=0", "abort", "stray", "never"])(
      "gives up a document that ends its worker twice: %s",
      async (way) => {
        const { pool, act } = await start();
        expect(await reasonOf(act(way))).toBe("PARSER_CRASHED");
        expect(pool.stats()).toMatchObject({ retried: 1, restarts: { crash: 2 } });
        expect(await act("echo=again")).toBe("again");
      },
    );

    it.each(["garbage", "giant", "lie", "mojibake"])("kills a worker that breaks the protocol: %s", async (way) => {
      const { pool, act } = await start();
      expect(await reasonOf(act(way))).toBe("PARSER_CRASHED");
      expect(pool.stats()).toMatchObject({ retried: 1, restarts: { protocol: 2 } });
      expect(await act("echo=again")).toBe("again");
    });

    it("does not take a message that comes too early for the answer, nor the answer for the next document's", async () => {
      const { act } = await start();
      expect(await reasonOf(act("unasked"))).toBe("PARSER_CRASHED");
      expect(await act("echo=again")).toBe("again");
    });

    it("tells a reason and its detail to the caller, and the stack to the log only", async () => {
      const { pool, act, log } = await start();
      await expect(act("refuse=It is sealed.")).rejects.toThrow("PASSWORD_REQUIRED");
      const internal = await act("throw=secret /etc/path").catch((error: unknown) => error);
      expect(internal).toMatchObject({ reason: "INTERNAL" });
      expect(String(internal)).not.toContain("secret");
      expect(log()).toContain("misbehaving-worker.ts");
      expect(log()).not.toContain("secret");
      expect(pool.stats().restarts).toMatchObject({ crash: 0 });
    });

    it("replaces a worker after its number of documents without a gap", async () => {
      const { pool, act } = await start({ recycleAfterDocuments: 3 });
      for (let index = 0; index < 9; index += 1) await act("echo=1");
      const { recycled } = pool.stats();
      expect(recycled).toBeGreaterThanOrEqual(1);
      await until(() => pool.stats().idle === 1 && findWorkers().length === 1);
      expect(pool.stats().restarts).toMatchObject({ crash: 0, idle: 0, start: 0 });
    });

    it("replaces a worker that has grown", async () => {
      const { pool, act } = await start({ recycleAboveMib: 150 });
      await act("echo=small");
      expect(pool.stats().recycled).toBe(0);
      await act("keep=150");
      expect(pool.stats().recycled).toBe(1);
      expect(pool.stats().peakRssBytes).toBeGreaterThan(150 << 20);
    });

    it("replaces a worker that dies without a document", async () => {
      const { pool, act } = await start({ workers: 2 });
      await until(() => pool.stats().idle === 2);
      for (const pid of findWorkers()) process.kill(pid, "SIGKILL");
      await until(() => pool.stats().restarts.idle === 2);
      await until(() => pool.stats().idle === 2);
      expect(await act("echo=again")).toBe("again");
    });

    it("refuses what exceeds the line, with a time to come back", async () => {
      const { act } = await start({ maxQueued: 2 });
      await act("echo=warm");
      const accepted = [act("sleep=100"), act("echo=1"), act("echo=2")];
      const refused = await act("echo=3").catch((error: unknown) => error);
      expect(refused).toMatchObject({ reason: "QUEUE_FULL" });
      expect((refused as AppError).details.retryAfterMs).toBeGreaterThan(0);
      expect(await Promise.all(accepted)).toEqual(["slept", "1", "2"]);
    });

    it("tells callers when workers do not start, instead of letting them wait", async () => {
      const { pool, act, log } = await start({ workerEntry: unstartableEntry });
      expect(await reasonOf(act("echo=1"))).toBe("ENGINE_UNAVAILABLE");
      expect(await reasonOf(act("echo=1"))).toBe("ENGINE_UNAVAILABLE");
      expect(pool.stats()).toMatchObject({ ready: 0, startFailure: "exit code 3" });
      expect(pool.stats().restarts.start).toBeLessThan(8);
      expect(log()).toContain("no licence found");
    });

    it("lets documents end within the grace when it closes, and refuses the rest", async () => {
      const { pool, act } = await start();
      await act("echo=warm");
      const running = act("sleep=200");
      const waiting = reasonOf(act("echo=1"));
      await pool.close(5000);
      expect(await running).toBe("slept");
      expect(await waiting).toBe("SHUTTING_DOWN");
      expect(await reasonOf(act("echo=1"))).toBe("SHUTTING_DOWN");
      expect(findWorkers()).toEqual([]);
    });

    it("kills what outlasts the grace when it closes", async () => {
      const { pool, act } = await start();
      await act("echo=warm");
      const running = reasonOf(act("loop"));
      await until(() => pool.stats().busy === 1);
      await pool.close(100);
      expect(await running).toBe("SHUTTING_DOWN");
      expect(findWorkers()).toEqual([]);
    });
  });
});
