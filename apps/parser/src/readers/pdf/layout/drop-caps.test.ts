import { expect, test } from "vitest";
import { attachDropCaps } from "./drop-caps.ts";
import { lineAt, linesAt, textOf } from "./geometry.fixture.ts";

const cap = (letter: string) => lineAt(letter, { baseline: 124, style: { size: 36 } });

test("a drop cap is put before the line whose top it shares", () => {
  const lines = attachDropCaps([cap("W"), ...linesAt(["hen the", "text goes on", "below"], { left: 22 })]);
  expect(lines.map(textOf)).toEqual(["When the", "text goes on", "below"]);
});

test("a letter that is a word of its own stays one", () => {
  const lines = attachDropCaps([cap("A"), ...linesAt(["Year of", "much text"], { left: 22 })]);
  expect(lines.map(textOf)).toEqual(["A Year of", "much text"]);
});

test("a large letter away from any line stays where it is", () => {
  const lines = attachDropCaps([cap("W"), ...linesAt(["far away"], { left: 400 })]);
  expect(lines.map(textOf)).toEqual(["W", "far away"]);
});
