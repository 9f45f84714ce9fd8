import { describe, expect, test } from "vitest";
import { textOf, wordAt } from "./geometry.fixture.ts";
import { findLines } from "./line.ts";

const ordered = (...words: ReturnType<typeof wordAt>[]) => words.map((word, order) => ({ ...word, order }));

describe("lines of words", () => {
  test("words drawn in succession on one baseline are a line", () => {
    const lines = findLines(ordered(wordAt("one"), wordAt("two", { left: 20 }), wordAt("below", { baseline: 112 })));
    expect(lines.map(textOf)).toEqual(["one two", "below"]);
  });

  test("a gap wider than an em parts columns", () => {
    expect(findLines(ordered(wordAt("left"), wordAt("right", { left: 40 }))).map(textOf)).toEqual(["left", "right"]);
  });

  test("pieces drawn at different times are joined from left to right when they touch", () => {
    const lines = findLines(ordered(wordAt("one"), wordAt("other", { baseline: 300 }), wordAt("two", { left: 19 })));
    expect(lines.map(textOf)).toEqual(["one two", "other"]);
  });

  test("a raised small number belongs to the line beside it", () => {
    const mark = { ...wordAt("12", { left: 20, baseline: 96, style: { size: 6 } }), isGlued: true };
    expect(findLines(ordered(wordAt("text"), mark)).map(textOf)).toEqual(["text12"]);
  });

  test("the size of a line is that of most of its letters", () => {
    const [line] = findLines(ordered(wordAt("A", { style: { size: 14 } }), wordAt("sentence", { left: 9 })));
    expect(line?.size).toBe(10);
  });
});
