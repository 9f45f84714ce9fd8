import { expect, test } from "vitest";
import type { Glyph } from "../page-content.ts";
import { glyphsAt, plainStyle } from "./geometry.fixture.ts";
import { setVertical } from "./set-vertical.ts";

function column(text: string, right: number, top = 100): Glyph[] {
  return Array.from(text, (character, index) => ({
    text: character,
    left: right - 10,
    right,
    baseline: top + 8.8 + index * 10,
    isAfterSpace: false,
    style: plainStyle,
  }));
}

test("characters below one another are lines of a turned page, columns from right to left", () => {
  const [first, , , last] = setVertical(column("吾輩は猫", 500), 600) as [Glyph, Glyph, Glyph, Glyph];
  expect([first.style.turn, first.left, first.right, last.left]).toEqual([1, 100, 110, 130]);
  const [next] = setVertical(column("名前はまだ", 480), 600) as [Glyph];
  expect(next.baseline - first.baseline).toBeCloseTo(20);
});

test("rests of columns go with the columns where most of the page is written so", () => {
  const glyphs = setVertical([...column("吾輩は猫である", 500), ...column("た。", 480)], 600);
  expect(glyphs.every(({ style }) => style.turn === 1)).toBe(true);
});

test("a few characters below one another in a table, and Latin letters, stay upright", () => {
  const table = [...column("一二三", 100), ...glyphsAt("words of the table", { left: 200 })];
  expect(setVertical(table, 600).every(({ style }) => style.turn === 0)).toBe(true);
  const letters = column("ABCDEF", 100);
  expect(setVertical(letters, 600)).toBe(letters);
});
