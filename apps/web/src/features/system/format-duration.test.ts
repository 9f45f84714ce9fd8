import { expect, test } from "vitest";
import { formatDuration } from "./format-duration.ts";

test.each([
  [0, "0 seconds"],
  [59.9, "59 seconds"],
  [61, "1 minute 1 second"],
  [3600, "1 hour"],
  [2 * 86_400 + 3 * 3600 + 50 * 60, "2 days 3 hours"],
])("%d seconds are %s", (seconds, text) => {
  expect(formatDuration(seconds, "en")).toBe(text);
});

test("the units are those of the language", () => {
  expect(formatDuration(90_000, "zh")).toBe("1天 1小时");
});
