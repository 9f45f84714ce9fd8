import { expect, test } from "vitest";
import { ParseClock } from "./parse-clock.ts";

test("time runs out once, and waiting does not count", () => {
  const clock = new ParseClock();
  expect(clock.leftMs(1000)).toBeGreaterThan(900);
  clock.discount(-1000);
  expect(() => clock.leftMs(1000)).toThrow(/^PARSE_TIMEOUT: .*It took more than 1000 ms\./);
  clock.discount(500);
  expect(clock.leftMs(1000)).toBeLessThanOrEqual(500);
});
