import { expect, test } from "vitest";
import { glyphsAt, plainStyle } from "./layout/geometry.fixture.ts";
import type { Glyph } from "./page-content.ts";
import { restoreLetters } from "./restore-letters.ts";

/** A text as PDFium gives it from a font without a table of its letters: the numbers of its glyphs. */
function numbered(text: string, fontName = "Arial"): Glyph[] {
  const glyphs = Array.from(text, (letter, index) => ({
    text: String.fromCharCode(letter.charCodeAt(0) - 29),
    left: index * 5,
    right: index * 5 + 5,
    baseline: 100,
    isAfterSpace: false,
    style: { ...plainStyle, fontName },
  }));
  return glyphs;
}

const read = (glyphs: readonly Glyph[]) =>
  restoreLetters(glyphs)
    .map(({ text, isAfterSpace }) => (isAfterSpace ? ` ${text}` : text))
    .join("");

test("numbers of glyphs become the letters that the glyphs show", () => {
  expect(
    numbered("Wave")
      .map(({ text }) => text)
      .join(""),
  ).toBe(":DYH");
  expect(read(numbered("Wavelength (nm) of 100, 200"))).toBe("Wavelength (nm) of 100, 200");
});

test("letters with accents follow Mac Roman", () => {
  const accented = { ...(numbered("x")[0] as Glyph), text: String.fromCharCode(112) };
  expect(read([...numbered("une facon (1)"), accented])).toBe("une facon (1)é");
});

test("a font whose text makes no sense so keeps its unknown letters", () => {
  expect(read(numbered("xkcd bcdfg hjklm npqrs tvwxz (1)"))).toContain("\uFFFD");
  const plain = [...glyphsAt("ordinary text with small letters", { style: { fontName: "Arial" } }), ...numbered("(1)")];
  expect(read(plain)).toBe("ordinary text with small letters\uFFFD\uFFFD\uFFFD");
});

test("a font that numbers its glyphs as they come has no letters to restore", () => {
  const glyphs = numbered("ABCDEFGH").map((glyph, index) => ({ ...glyph, text: String.fromCharCode(4 + index) }));
  expect(read(glyphs)).toBe("\uFFFD".repeat(8));
});

test("the signs of a font of symbols stay unknown", () => {
  expect(read(numbered(" ", "Symbols"))).toBe("\uFFFD");
  expect(read(numbered("().,", "Symbols"))).not.toContain(".");
});

test("text without control characters is left as it is", () => {
  const glyphs = glyphsAt("&DVSDVH");
  expect(restoreLetters(glyphs)).toBe(glyphs);
});

test("control characters of no width are nothing", () => {
  const [glyph] = glyphsAt("x") as [Glyph];
  expect(restoreLetters([glyph, { ...glyph, text: "\u0001", right: glyph.left }])).toHaveLength(1);
});
