import { expect, test } from "vitest";
import type { Glyph } from "../page-content.ts";
import { plainStyle } from "./geometry.fixture.ts";
import { settleRightToLeft } from "./settle-right-to-left.ts";

type Place = readonly [text: string, left: number, right: number, isAfterSpace?: boolean];

function glyphs(...places: readonly Place[]): Glyph[] {
  return places.map(([text, left, right, isAfterSpace = false]) => ({
    text,
    left,
    right,
    baseline: 100,
    isAfterSpace,
    style: plainStyle,
  }));
}

const read = (drawn: readonly Glyph[]) =>
  settleRightToLeft(drawn)
    .map(({ text, isAfterSpace }) => (isAfterSpace ? ` ${text}` : text))
    .join("");

test("text of other scripts is left as it is", () => {
  const drawn = glyphs(["f", 0, 5], ["i", 0, 5]);
  expect(settleRightToLeft(drawn)).toBe(drawn);
});

test("a lam-alef that PDFium turned round is put right, and with it the other ligatures of its font", () => {
  expect(read(glyphs(["ا", 95, 100], ["إ", 88, 95], ["ل", 88, 95], ["ن", 80, 88]))).toBe("الإن");
  expect(read(glyphs(["ا", 90, 95, true], ["ل", 90, 95], ["ه", 80, 90, true], ["ل", 80, 90], ["ل", 80, 90]))).toBe(
    " لا لله",
  );
});

test("a lam-alef in order stays", () => {
  expect(read(glyphs(["ل", 88, 95], ["ا", 88, 95], ["ه", 80, 90], ["ل", 80, 90]))).toBe("لاهل");
});

test("an article before a lam is no ligature", () => {
  expect(read(glyphs(["ا", 95, 100], ["ل", 90, 95]))).toBe("ال");
});

test("a vowel sign goes behind the letter that it stands over, and parts no words", () => {
  // أيضًا as Word writes it: the sign first, with a step back after it.
  const drawn = glyphs(["أ", 30, 33], ["ي", 27, 30], ["ً", 18, 20.5, true], ["ض", 17, 27], ["ا", 14, 17]);
  expect(read(drawn)).toBe("أيضًا");
  expect(read(glyphs(["بّ".slice(0, 1), 10, 20], ["\u0651", 12, 15, true], ["\u064E", 12, 15, true]))).toBe(
    "ب\u0651\u064E",
  );
});

test("a vowel sign over nothing stays where it is", () => {
  expect(read(glyphs(["א", 50, 60], ["\u05B8", 200, 204]))).toBe("א\u05B8");
});
