import { describe, expect, test } from "vitest";
import { joinStretchedLines } from "./stretched-lines.ts";
import { lineAt, linesAt, textOf } from "./geometry.fixture.ts";

const joined = (lines: Parameters<typeof joinStretchedLines>[0]) => joinStretchedLines(lines).map(textOf);

/** Pieces of one line, drawn one after another. */
function piecesAt(pieces: readonly (readonly [text: string, left: number])[], baseline = 100) {
  return pieces.map(([text, left], index) => {
    const line = lineAt(text, { left, baseline });
    return { ...line, words: line.words.map((word) => ({ ...word, order: 1000 + index })) };
  });
}

describe("stretched lines", () => {
  test("a line stretched to the width of its column is one line", () => {
    const stretched = piecesAt([
      ["stretched", 0],
      ["words", 70],
      ["here", 120],
    ]);
    const full = linesAt(["a line of twenty-eight chars"], { baseline: 112 });
    expect(joined([...stretched, ...full])).toEqual(["stretched words here", "a line of twenty-eight chars"]);
  });

  test("cells beside each other stay apart, with uneven gaps or without a paragraph around them", () => {
    const uneven = piecesAt([
      ["one", 0],
      ["two", 30],
      ["three", 115],
    ]);
    const full = linesAt(["a line of twenty-eight chars"], { baseline: 112 });
    expect(joined([...uneven, ...full])).toHaveLength(4);
    const alone = piecesAt([
      ["stretched", 0],
      ["words", 70],
      ["here", 120],
    ]);
    expect(joined(alone)).toHaveLength(3);
  });
});
