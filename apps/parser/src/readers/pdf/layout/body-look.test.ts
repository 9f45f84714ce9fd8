import { describe, expect, test } from "vitest";
import { findBodyLook, isProse } from "./body-look.ts";
import { passageOf } from "./geometry.fixture.ts";

describe("running text", () => {
  test("its look is that of paragraphs, though headings be many", () => {
    const headings = Array.from({ length: 6 }, () => passageOf("A heading of some length", { look: { size: 13 } }));
    const text = passageOf("Text that runs over several lines and says something. ".repeat(3), { lineCount: 3 });
    expect(findBodyLook([...headings, text]).size).toBe(10);
  });

  test.each([
    ["a paragraph", "The animals were kept in cages, and fed twice a day with what they like to eat.", true],
    ["a paragraph of a script without capitals", "動物はかごの中で飼育され、一日に二回えさを与えられました。", true],
    ["an address", "Department of Animal Nutrition, University of Somewhere, Main Street 1, 12345 Town", false],
    ["names", "Ann Author, Ben Writer, Carla Scribe, Dan Penman and Eve Copyist, for the Study Group", false],
    ["a label", "Dose (mg)", false],
    ["numbers", "12.5 13.7 14.1 15.9 17.2 18.8 19.4 20.1 21.7 22.3 23.9 24.6 25.5 26.2 27.3", false],
  ])("%s", (_, text, expected) => {
    expect(isProse(passageOf(text, { lineCount: 2 }))).toBe(expected);
  });
});
