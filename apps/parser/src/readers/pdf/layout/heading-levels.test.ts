import { describe, expect, test } from "vitest";
import { passageOf } from "./geometry.fixture.ts";
import { assignLevels } from "./heading-levels.ts";

type Rest = Parameters<typeof passageOf>[1];
const levels = (headings: [string, Rest][], titles: [string, number][] = []) => {
  const passages = headings.map(([text, rest]) => passageOf(text, rest));
  return [...assignLevels(passages, undefined, new Map(titles)).values()];
};
const large = { look: { size: 14 } };
const small = { look: { size: 12 } };

describe("levels of headings", () => {
  test("a heading without a number stands with those of its look that have one", () => {
    expect(
      levels([
        ["1 Start", large],
        ["1.1 Part", small],
        ["2 End", large],
        ["Thanks", large],
      ]),
    ).toEqual([1, 2, 1, 1]);
  });

  test("single tags among many untagged headings of a look say nothing", () => {
    expect(
      levels([
        ["Start", large],
        ["Part", { ...small, taggedLevel: 5 }],
        ["Piece", small],
        ["Bit", small],
      ]),
    ).toEqual([1, 2, 2, 2]);
  });

  test("looks below one whose level the outline names are deeper", () => {
    expect(
      levels(
        [
          ["Start", large],
          ["Part", small],
        ],
        [["start", 2]],
      ),
    ).toEqual([2, 3]);
  });
});
