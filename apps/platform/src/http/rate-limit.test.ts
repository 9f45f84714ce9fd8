import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import { createRateLimit } from "./rate-limit.ts";

function started(perSecond: number, burst: number) {
  let now = 0;
  const take = createRateLimit({ perSecond, burst }, () => now);
  const isTaken = (caller: string): boolean => {
    try {
      take(caller);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  };
  return { isTaken, pass: (ms: number) => (now += ms) };
}

test("a burst is let through, what follows at the rate only", () => {
  const { isTaken, pass } = started(10, 5);
  expect(Array.from({ length: 7 }, () => isTaken("a"))).toEqual([true, true, true, true, true, false, false]);
  pass(100);
  expect([isTaken("a"), isTaken("a")]).toEqual([true, false]);
  pass(10_000);
  expect(Array.from({ length: 6 }, () => isTaken("a")).filter(Boolean)).toHaveLength(5);
});

test("callers do not take from one another", () => {
  const { isTaken } = started(1, 1);
  expect([isTaken("a"), isTaken("a"), isTaken("b")]).toEqual([true, false, true]);
});

test("says how long to wait", () => {
  const take = createRateLimit({ perSecond: 2, burst: 1 }, () => 0);
  take("a");
  expect(() => take("a")).toThrow(expect.objectContaining({ reason: "RATE_LIMITED", details: { retryAfterMs: 500 } }));
});
