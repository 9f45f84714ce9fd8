import { describe, expect, test } from "vitest";
import { lineAt, linesAt, textOf } from "./geometry.fixture.ts";
import { findRegions } from "./reading-order.ts";

const regions = (lines: Parameters<typeof findRegions>[0]) =>
  findRegions(lines).map((region) => region.map((line) => textOf(line as ReturnType<typeof lineAt>)));

const left = linesAt(["left column one", "left column two", "left column three", "left column four"]);
const right = linesAt(["right column one", "right column two", "right column three", "right column four"], {
  left: 120,
});

describe("reading order", () => {
  test("one column is read from top to bottom", () => {
    expect(regions([...left].reverse())).toEqual([
      ["left column one", "left column two", "left column three", "left column four"],
    ]);
  });

  test("the left column is read before the right one", () => {
    const interleaved = left.flatMap((line, index) => [line, right[index] as typeof line]);
    expect(regions(interleaved).map((region) => region[0])).toEqual(["left column one", "right column one"]);
  });

  test("a title over both columns comes first, and a wide figure between them parts them", () => {
    const title = lineAt("a title that goes over both of the columns", { baseline: 70 });
    const caption = lineAt("a caption that goes over both of the columns", { baseline: 160 });
    const below = [
      ...linesAt(["lower left one", "lower left two", "lower left three"], { baseline: 190 }),
      ...linesAt(["lower right one", "lower right two", "lower right three"], { left: 120, baseline: 190 }),
    ];
    expect(regions([...below, caption, ...right, ...left, title]).map((region) => region[0])).toEqual([
      "a title that goes over both of the columns",
      "left column one",
      "right column one",
      "a caption that goes over both of the columns",
      "lower left one",
      "lower right one",
    ]);
  });

  test("the short last line of a wide paragraph stays with it", () => {
    const wide = linesAt(["a title that goes over both of the columns", "and ends here"], { baseline: 60 });
    expect(regions([...wide, ...left, ...right])[0]).toEqual([
      "a title that goes over both of the columns",
      "and ends here",
    ]);
  });

  test("numbers beside text are no column", () => {
    const numbers = linesAt(["1.", "2.", "3.", "4."], { left: -30 });
    expect(regions([...numbers, ...left])).toHaveLength(1);
  });

  test("nothing gives nothing", () => {
    expect(findRegions([])).toEqual([]);
  });
});
