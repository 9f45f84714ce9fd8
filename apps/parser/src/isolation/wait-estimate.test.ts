import { describe, expect, it } from "vitest";
import { createWaitEstimate } from "./wait-estimate.ts";

describe("a wait estimate", () => {
  it("follows how long documents take, how many wait and how many workers there are", () => {
    const estimate = createWaitEstimate(2);
    estimate.add(4000);
    expect(estimate.waitMs(0)).toBe(2000);
    expect(estimate.waitMs(9)).toBe(20_000);
    for (let count = 0; count < 100; count += 1) estimate.add(1000);
    expect(estimate.waitMs(9)).toBeCloseTo(5000, -2);
  });

  it("stays within bounds", () => {
    const estimate = createWaitEstimate(1);
    estimate.add(1);
    expect(estimate.waitMs(0)).toBe(100);
    for (let count = 0; count < 100; count += 1) estimate.add(1_000_000);
    expect(estimate.waitMs(100)).toBe(60_000);
  });
});
