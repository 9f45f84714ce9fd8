import { expect, test } from "vitest";
import { jsonLimits, parseJson } from "./parse-json.ts";

const parse = (text: string): unknown => parseJson("peer", Buffer.from(text));

test.each([
  '{"a": [1, true, null, "]]]}}}"], "b\\\\": {"c\\"[[": "\\\\\\""}}',
  '"a word with , and : and [ and \\\\"',
  "[]",
  " 7 ",
])("gives the value of %s", (text) => {
  expect(parse(text)).toEqual(JSON.parse(text));
});

test("counts nothing that stands in a string", () => {
  const text = JSON.stringify(["[{,:".repeat(jsonLimits.maxTokens), '\\"[\\'.repeat(1000)]);
  expect(parse(text)).toEqual(JSON.parse(text));
});

test.each([
  ["nesting", "[".repeat(jsonLimits.maxDepth + 1) + "]".repeat(jsonLimits.maxDepth + 1)],
  ["values", `[${"0,".repeat(jsonLimits.maxTokens)}0]`],
  ["empty lists", `[${"[],".repeat(jsonLimits.maxTokens / 2)}0]`],
])("refuses too much of %s before it builds anything", (_name, text) => {
  expect(() => parse(text)).toThrow(/^ENGINE_FAILED: .*too many parts/);
});

test.each(["", "<html>", '{"a"', '"no end', "\\"])("says that %s is no JSON", (text) => {
  expect(() => parse(text)).toThrow(/^ENGINE_FAILED: .*other than JSON/);
});

test("takes time that is linear in what it is given", () => {
  const hostile = Buffer.from(`["${String.raw`\\\\\"`.repeat(4 << 20)}"`);
  const startedAtMs = performance.now();
  expect(() => parseJson("peer", hostile)).toThrow(/ENGINE_FAILED/);
  expect(performance.now() - startedAtMs).toBeLessThan(20_000);
});
