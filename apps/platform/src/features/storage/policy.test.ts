import { expect, test } from "vitest";
import { mayLieInline } from "./policy.ts";

const allow = (types: readonly string[], inlineMaxBytes = 1) => ({
  inlineMaxBytes,
  inlineMediaTypes: types,
  leaseMs: 1,
  removalMs: 1,
  unfinishedMs: 1,
});

test.each([
  [["*/*"], "application/pdf", true],
  [["text/*"], "text/csv", true],
  [["text/*"], "TEXT/CSV; charset=utf-8", true],
  [["text/*"], "application/json", false],
  [["text/*", "application/json"], "application/json", true],
  [["application/json"], "application/jsonlines", false],
  [["text/*"], "", false],
])("%j allows %s: %s", (types, mediaType, isAllowed) => {
  expect(mayLieInline(allow(types), mediaType)).toBe(isAllowed);
});

test("a limit of 0 allows nothing", () => {
  expect(mayLieInline(allow(["*/*"], 0), "text/plain")).toBe(false);
});
