import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractJson } from "./extract-json.ts";

describe("extractJson", () => {
  it.each([
    ["JSON alone", ' {"a":1} ', { a: 1 }],
    ["a fence", '```json\n{"a":1}\n```', { a: 1 }],
    ["a fence without a name", "Here:\n```\n[1,2]\n```\nDone.", [1, 2]],
    ["words around it", 'So: {"a":"}{"} is it.', { a: "}{" }],
    ["a brace in prose before it", 'Use {name}: {"a":1}', { a: 1 }],
    ["quotes escaped in it", 'x {"a":"\\"}"} y', { a: '"}' }],
  ])("finds %s", (_name, text, value) => {
    expect(extractJson(text)).toEqual({ value });
  });

  it.each(["", "no", '{"a":', "42", '"text"', "null", "{a:1}", "{".repeat(50_000)])("finds none in %j", (text) => {
    expect(extractJson(text)).toBeUndefined();
  });

  it("finds any object between words", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const json = JSON.stringify(value);
        expect(extractJson(`Here you are: ${json}\nThat is all.`)).toEqual({ value: JSON.parse(json) as unknown });
      }),
    );
  });
});
