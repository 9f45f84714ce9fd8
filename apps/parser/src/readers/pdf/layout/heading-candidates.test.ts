import { describe, expect, test } from "vitest";
import { passageOf } from "./geometry.fixture.ts";
import { mayBeHeading } from "./heading-candidates.ts";

const body = { size: 10, fontName: "Serif" };
const isBoldHeading = (text: string, titles: [string, number][] = []) =>
  mayBeHeading(passageOf(text, { look: { isBold: true } }), body, new Map(titles));

describe("what may be a heading", () => {
  test.each([
    ["a title", "Garlic, onions and leeks (Allium)", true],
    ["a numbered title that ends like a sentence", "2.1. Plants and seeds.", true],
    ["names with the sign of a note", "Ann Author*, Ben Writer", false],
    ["names of which the last has the sign", "Ann Author, Ben Writer, Carla Scribe*", false],
    ["names as references have them", "13. Author AB, Writer C, Scribe D. A reservoir of plants", false],
    ["a numbered reference", "[7] Things found", false],
    ["a formula", "Rate = (A of test − B of control)", false],
    ["what goes on from another page", "(Continued)", false],
    ["a sentence", "This is bold, and ends.", false],
  ])("%s", (_, text, expected) => {
    expect(isBoldHeading(text)).toBe(expected);
  });

  test("what the outline names is one, whatever it looks like", () => {
    expect(isBoldHeading("results of it.", [["resultsofit", 1]])).toBe(true);
  });

  test("a title in large type may be long", () => {
    const long = "A study of many things that were found in the field ".repeat(5).trim();
    expect(mayBeHeading(passageOf(long, { look: { size: 16 } }), body, new Map())).toBe(true);
    expect(isBoldHeading(long)).toBe(false);
  });
});
