import { describe, expect, test } from "vitest";
import { lineAt } from "./geometry.fixture.ts";
import { decimalOf, follows, isFirstMark, isLoneMark, itemMark } from "./item-mark.ts";
import { toLine } from "./line.ts";

describe("marks of items", () => {
  test.each([
    ["• a bullet", "•"],
    ["– a dash", "–"],
    ["12. twelfth", "12."],
    ["(b) second", "(b)"],
    ["iv) fourth", "iv)"],
    ["[7] seventh", "[7]"],
    ["\uF0B7 of a symbol font", "\uF0B7"],
    ["☐ to do", "☐"],
    ["•without a space", "•"],
    ["A word", undefined],
    ["1999 was a year", undefined],
    ["-5 degrees", undefined],
    ["•", undefined],
  ])("%j is marked by %j", (text, mark) => {
    expect(itemMark(lineAt(text))).toBe(mark);
  });

  test.each([
    ["Wingdings-Regular", "v", "v"],
    ["SymbolMT", "·", "·"],
    ["CourierNewPSMT", "o", "o"],
    ["SymbolMT", "α", undefined],
    ["Serif", "v", undefined],
  ])("in %s the letter %j before other text means %j", (fontName, letter, mark) => {
    const first = lineAt(letter, { style: { fontName } }).words;
    expect(itemMark(toLine([...first, ...lineAt("text", { left: 20 }).words]))).toBe(mark);
  });

  test("a mark whose text stands elsewhere is alone", () => {
    expect(["•", "3.", "(c)", "Word", "3. x"].map((text) => isLoneMark(lineAt(text)))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test.each([
    ["•", "•", true],
    ["•", "–", false],
    ["1.", "2.", true],
    ["1.", "2)", false],
    ["1.", "3.", false],
    ["a)", "b)", true],
    ["h.", "i.", true],
    ["i.", "ii.", true],
    ["iii.", "iv.", true],
    ["(IX)", "(X)", true],
    ["a.", "B.", false],
    ["[9]", "[10]", true],
  ])("%s goes on with %s: %s", (mark, next, expected) => {
    expect(follows(mark, next)).toBe(expected);
  });

  test("digits have a number that a list may begin with, and letters have none", () => {
    expect(["3.", "[12]", "c.", "•"].map(decimalOf)).toEqual([3, 12, undefined, undefined]);
    expect(["1.", "a)", "i.", "•", "2.", "c)", "A."].map(isFirstMark)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
