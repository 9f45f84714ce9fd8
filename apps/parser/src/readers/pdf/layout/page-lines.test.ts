import { expect, test } from "vitest";
import type { PageContent } from "../page-content.ts";
import { glyphsAt, textOf } from "./geometry.fixture.ts";
import { findPageLines } from "./page-lines.ts";

const page = (rest: Partial<PageContent>): PageContent => ({
  number: 1,
  width: 600,
  height: 800,
  glyphs: [],
  rules: [],
  backgrounds: [],
  images: [],
  links: [],
  hiddenGlyphCount: 0,
  isCut: false,
  ...rest,
});

test("a page written sideways is turned, and its rules with it", () => {
  const glyphs = [...glyphsAt("a wide table", { style: { turn: 3 } }), ...glyphsAt("head")];
  const rules = [{ left: 100, top: 0, right: 100, bottom: 800, isHorizontal: false }];
  const lines = findPageLines(page({ glyphs, rules }));
  expect([lines.turn, lines.width, lines.height]).toEqual([3, 800, 600]);
  expect(lines.lines.map(textOf)).toEqual(["a wide table"]);
  expect(lines.turnedLines.map(textOf)).toEqual(["head"]);
  expect(lines.rules[0]).toMatchObject({ left: 0, right: 800, top: 100, isHorizontal: true });
});

test("words under a link carry its target", () => {
  const links = [{ left: 0, top: 90, right: 21, bottom: 105, target: "https://example.org/" }];
  const [line] = findPageLines(page({ glyphs: glyphsAt("look here"), links })).lines;
  expect(line?.words.map(({ text, link }) => [text, link])).toEqual([
    ["look", "https://example.org/"],
    ["here", undefined],
  ]);
});

test("letters are counted without signs", () => {
  expect(findPageLines(page({ glyphs: glyphsAt("a, b; 3 + ß") })).letterCount).toBe(4);
});
