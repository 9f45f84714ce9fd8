import { describe, expect, test } from "vitest";
import { glyphsAt } from "./layout/geometry.fixture.ts";
import type { Glyph, TextTag } from "./page-content.ts";
import { settleTags } from "./settle-tags.ts";

const sentence = "words that run on over the end of the line and";

function pageOf(lineCount: number, tagOf: (line: number) => TextTag | undefined, text = sentence): Glyph[] {
  return Array.from({ length: lineCount }, (_, line) => {
    const tag = tagOf(line);
    return glyphsAt(text, { baseline: 50 + line * 12, style: tag === undefined ? {} : { tag } });
  }).flat();
}

// Numbers tell them apart for the fixture, which shares equal styles.
const elements = (count: number) => Array.from({ length: count }, (_, level): TextTag => ({ level }));

const isTagged = (glyphs: readonly Glyph[]) => settleTags(glyphs).some(({ style }) => style.tag !== undefined);

describe("tags that say how a page is made up", () => {
  test("stay where paragraphs have several lines", () => {
    const tags = elements(10);
    expect(isTagged(pageOf(40, (line) => tags[Math.floor(line / 4)]))).toBe(true);
  });

  test("stay where short lines are paragraphs that end", () => {
    const tags = elements(20);
    expect(isTagged(pageOf(20, (line) => tags[line], "A whole sentence."))).toBe(true);
  });

  test("go where every line of running text is an element of its own", () => {
    const tags = elements(40);
    expect(isTagged(pageOf(40, (line) => tags[line]))).toBe(false);
  });

  test("go where one element holds the page, or most of it is in none", () => {
    const whole: TextTag = {};
    expect(isTagged(pageOf(40, () => whole))).toBe(false);
    expect(isTagged(pageOf(40, (line) => (line < 20 ? whole : undefined)))).toBe(false);
  });

  test("equal styles are one object when their tags are gone", () => {
    const whole: TextTag = {};
    const settled = settleTags(pageOf(40, (line) => (line === 0 ? { level: 1 } : whole)));
    expect(new Set(settled.map(({ style }) => style)).size).toBe(1);
  });
});
