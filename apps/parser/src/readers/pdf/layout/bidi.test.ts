import { describe, expect, test } from "vitest";
import { inReadingOrder, isRightToLeft } from "./bidi.ts";
import { wordAt } from "./geometry.fixture.ts";
import type { Word } from "./word.ts";

/** Words as they stand on the line, from left to right; in drawn order unless told otherwise. */
function lineOf(...texts: string[]): Word[] {
  let left = 0;
  return texts.map((text, order) => {
    const word = { ...wordAt(text, { left }), order };
    left = word.right + 5;
    return isRightToLeft(text) ? { ...word, isBackward: true } : word;
  });
}

/** The same on a page mirrored for a right-to-left script. */
function mirroredLineOf(...texts: string[]): Word[] {
  return lineOf(...texts).map((word) => {
    const { isBackward, ...rest } = word;
    return isBackward === undefined && /\p{L}/u.test(word.text) ? { ...rest, isBackward: true } : rest;
  });
}

const read = (words: readonly Word[]) =>
  inReadingOrder(words)
    .map(({ text, isGlued }, index) => (index > 0 && !isGlued ? ` ${text}` : text))
    .join("");

test("scripts written to the left are known", () => {
  expect(["שלום", "سلام", "\uFE8D", "peace", "мир", "和平"].map(isRightToLeft)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

describe("the order in which a line is read", () => {
  test("a line that runs one way stays as it is drawn", () => {
    const words = lineOf("one", "two");
    expect(inReadingOrder(words)).toBe(words);
  });

  test("Hebrew words in an English line are turned round among themselves", () => {
    expect(read(lineOf("the", "words", "רב", "שלום", "mean", "peace"))).toBe("the words שלום רב mean peace");
  });

  test("a number between Hebrew words goes with them", () => {
    expect(read(lineOf("within", "בערך", "5", "עד", "years"))).toBe("within עד 5 בערך years");
  });

  test("a line of mostly Hebrew is read from the right", () => {
    expect(read(lineOf("בשנת", "deep", "learning", "ספרים", "נכתבו", "הרבה", "מאוד"))).toBe(
      "מאוד הרבה נכתבו ספרים deep learning בשנת",
    );
  });

  test("English words on a mirrored page are turned round, and stand where they stood", () => {
    expect(read(mirroredLineOf("لغة", "learning", "deep", "جديدة"))).toBe("لغة deep learning جديدة");
  });

  test("a number drawn after an English word stays behind it", () => {
    const words = mirroredLineOf("لغة", "3", "Python", "جديدة");
    expect(read(words.map((word) => (word.text === "3" ? { ...word, order: 3 } : word)))).toBe("لغة Python 3 جديدة");
    expect(read(mirroredLineOf("سعة", "5", "GB", "كبيرة"))).toBe("سعة 5 GB كبيرة");
    expect(read(mirroredLineOf("لغة", "3.12", "Python", "جديدة"))).toBe("لغة Python 3.12 جديدة");
  });

  test.each([
    [[")2024", "2026(", "سنة"], "(2024 2026) سنة"],
    [["(2024", "2026)", "سنة"], "(2024 2026) سنة"],
    [["قال", "»نعم«"], "قال «نعم»"],
    [[")", "نعم", ")", "لا"], "( نعم ) لا"],
  ])("brackets of %j open and close what they stand at", (texts, expected) => {
    expect(read(mirroredLineOf(...texts))).toBe(expected);
  });

  test("words that touch after they were turned are glued", () => {
    const [word, year] = [wordAt("في", { left: 0 }), { ...wordAt("R", { left: 10.5 }), isBackward: true as const }];
    expect(
      read([
        { ...word, order: 0 },
        { ...year, order: 5, isGlued: false },
      ]),
    ).toBe("فيR");
  });
});
