import { describe, expect, it } from "vitest";
import { createApiLimiter } from "./api-limiter.ts";

const never = new AbortController().signal;

function createStillClock() {
  let nowMs = 1_000;
  const sleptMs: number[] = [];
  const sleep = async (waitMs: number, signal: AbortSignal) => {
    signal.throwIfAborted();
    sleptMs.push(waitMs);
    nowMs += waitMs;
  };
  return { nowMs: () => nowMs, sleep, sleptMs, pass: (ms: number) => void (nowMs += ms) };
}

describe("places", () => {
  it("are given in order, and given again when they are free", async () => {
    const limiter = createApiLimiter({ maxConcurrency: 2, requestsPerMinute: undefined }, createStillClock());
    const entered: number[] = [];
    const enter = async (name: number) => {
      const place = await limiter.enter(never);
      entered.push(name);
      return place;
    };
    const first = await enter(1);
    await enter(2);
    const third = enter(3);
    const fourth = enter(4);
    await Promise.resolve();
    expect(entered).toEqual([1, 2]);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    (await third)[Symbol.dispose]();
    await fourth;
    expect(entered).toEqual([1, 2, 3, 4]);
  });

  it("are not taken by who gave up waiting", async () => {
    const limiter = createApiLimiter({ maxConcurrency: 1, requestsPerMinute: undefined }, createStillClock());
    const place = await limiter.enter(never);
    const gone = new AbortController();
    const waiting = limiter.enter(gone.signal);
    const reason = new Error("gone");
    gone.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(limiter.enter(gone.signal)).rejects.toBe(reason);
    place[Symbol.dispose]();
    (await limiter.enter(never))[Symbol.dispose]();
    expect(limiter.isIdle).toBe(true);
  });

  it("become more when the limit is raised", async () => {
    const limiter = createApiLimiter({ maxConcurrency: 1, requestsPerMinute: undefined }, createStillClock());
    await limiter.enter(never);
    const second = limiter.enter(never);
    limiter.setLimits({ maxConcurrency: 2, requestsPerMinute: undefined });
    await second;
    expect(limiter.isIdle).toBe(false);
  });
});

describe("the pace", () => {
  it("lets no more begin within any 60 seconds", async () => {
    const clock = createStillClock();
    const limiter = createApiLimiter({ maxConcurrency: 9, requestsPerMinute: 3 }, clock);
    const begunAtMs: number[] = [];
    for (let request = 0; request < 20; request++) {
      await limiter.untilAllowed(never);
      begunAtMs.push(clock.nowMs());
      clock.pass(request * 3_000);
    }
    for (const [at, begun] of begunAtMs.entries()) {
      expect(begunAtMs.slice(at).filter((other) => other < begun + 60_000).length).toBeLessThanOrEqual(3);
    }
    expect(clock.sleptMs.length).toBeGreaterThan(0);
  });

  it("holds back until the pause that was asked for is over", async () => {
    const clock = createStillClock();
    const limiter = createApiLimiter({ maxConcurrency: 9, requestsPerMinute: undefined }, clock);
    limiter.holdBack(5_000);
    limiter.holdBack(1_000);
    await limiter.untilAllowed(never);
    expect(clock.sleptMs).toEqual([5_000]);
    await limiter.untilAllowed(never);
    expect(clock.sleptMs).toEqual([5_000]);
  });
});
