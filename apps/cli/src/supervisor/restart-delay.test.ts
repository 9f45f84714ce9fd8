import { expect, test } from "vitest";
import { RestartDelay } from "./restart-delay.ts";

test("a service that fails again and again is started ever later, up to half a minute", () => {
  const delay = new RestartDelay();
  expect(Array.from({ length: 9 }, () => delay.next(100))).toEqual([
    250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

test("a service that ran well for a while is started again at once", () => {
  const delay = new RestartDelay();
  delay.next(0);
  delay.next(0);
  expect([delay.next(30_000), delay.next(0)]).toEqual([250, 500]);
});
