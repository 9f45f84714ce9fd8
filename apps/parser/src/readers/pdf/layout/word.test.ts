import { describe, expect, test } from "vitest";
import { glyphsAt } from "./geometry.fixture.ts";
import { findWords } from "./word.ts";

const texts = (glyphs: Parameters<typeof findWords>[0]) =>
  findWords(glyphs).map(({ text, isGlued }) => (isGlued ? `+${text}` : text));

describe("words among glyphs", () => {
  test("spaces part words", () => {
    expect(texts(glyphsAt("two words"))).toEqual(["two", "words"]);
  });

  test("a gap wider than a sixth of the em parts words without any space", () => {
    expect(texts([...glyphsAt("two"), ...glyphsAt("words", { left: 17 })])).toEqual(["two", "words"]);
    expect(texts([...glyphsAt("ker"), ...glyphsAt("ned", { left: 16 })])).toEqual(["kerned"]);
  });

  test("a change of style parts a word without a space", () => {
    const bold = glyphsAt("bold", { left: 15, style: { isBold: true } });
    expect(texts([...glyphsAt("not"), ...bold])).toEqual(["not", "+bold"]);
  });

  test("a superscript is glued to its word", () => {
    const mark = glyphsAt("2", { left: 5, baseline: 96, style: { size: 6 } });
    expect(texts([...glyphsAt("m"), ...mark])).toEqual(["m", "+2"]);
  });

  test("the letters of a ligature stay together", () => {
    const [f] = glyphsAt("f", { left: 5 });
    const ligature = [f, { ...f, text: "f" }, { ...f, text: "i" }] as Parameters<typeof findWords>[0];
    expect(texts([...glyphsAt("e"), ...ligature, ...glyphsAt("cient", { left: 10 })])).toEqual(["efficient"]);
  });

  test("a step back to the left begins a word", () => {
    expect(texts([...glyphsAt("end", { left: 200 }), ...glyphsAt("next", { baseline: 112 })])).toEqual(["end", "next"]);
  });

  test("a word printed over is one word", () => {
    expect(texts([...glyphsAt("Shadow"), ...glyphsAt("Shadow", { left: 0.3 })])).toEqual(["Shadow"]);
  });

  test("slanted letters are held together by their distance alone", () => {
    const letters = Array.from("draft", (letter, index) =>
      glyphsAt(letter, { left: index * 4, baseline: 100 - index * 4, style: { turn: 4 } }),
    );
    expect(texts(letters.flat())).toEqual(["draft"]);
  });

  test.each([
    [".1", "1."],
    ["95.5%", "95.5%"],
    ["(2024)", ")2024("],
    ["1403/09/19", "1403/09/19"],
  ])("in a mirrored frame %j, as it is drawn, is the word %j", (drawn, word) => {
    const width = 200;
    const glyphs = glyphsAt(drawn).map((glyph) => ({ ...glyph, left: width - glyph.right, right: width - glyph.left }));
    expect(findWords(glyphs, true).map(({ text }) => text)).toEqual([word]);
  });
});
