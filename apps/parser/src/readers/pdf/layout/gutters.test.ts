import { describe, expect, test } from "vitest";
import { lineAt, linesAt } from "./geometry.fixture.ts";
import { findGutters } from "./gutters.ts";

const texts = ["some words of a column", "more words of a column", "last words of a column"];

describe("gutters", () => {
  test("the middle of the gap between two columns", () => {
    const boxes = [...linesAt(texts), ...linesAt(texts, { left: 130 })];
    expect(findGutters(boxes)[0]).toBe(120);
  });

  test("columns whose lines are not level have one as well", () => {
    const boxes = [...linesAt(texts), ...linesAt(texts, { left: 130, baseline: 106 })];
    expect(findGutters(boxes)[0]).toBe(120);
  });

  test("the gap that more lines share comes first", () => {
    const below = linesAt([...texts, ...texts], { left: 230, baseline: 200 });
    const beside = linesAt(
      [...texts, ...texts].map((text) => `${text} and so on`),
      { baseline: 200 },
    );
    const boxes = [...linesAt(texts), ...linesAt(texts, { left: 130 }), ...beside, ...below];
    expect(findGutters(boxes).map((at) => at > 160)).toEqual([true, false]);
  });

  test("words apart on one line are no columns", () => {
    expect(findGutters([lineAt("some words of text"), lineAt("other words of text", { left: 150 })])).toEqual([]);
  });
});
