import { describe, expect, test } from "vitest";
import { lineAt, linesAt, textOf } from "./geometry.fixture.ts";
import { type Band, bandsOfBoxes, bandsOfStrips } from "./page-bands.ts";
import type { Line } from "./line.ts";

const shown = (bands: Band<Line>[]) => bands.map(({ boxes, kind }) => `${kind}: ${boxes.map(textOf).join(" / ")}`);

const left = (baseline: number) => linesAt(["the left column of", "the page in two lines"], { baseline });
const right = (baseline: number) => linesAt(["the right column is", "in two lines as well"], { left: 130, baseline });

describe("bands of a page", () => {
  test("a title parts from the columns below it", () => {
    const title = lineAt("a title that is set over both of the columns", { baseline: 60 });
    expect(shown(bandsOfStrips([...right(100), ...left(100), title], 120)).map((band) => band.split(" ")[0])).toEqual([
      "across:",
      "columns:",
    ]);
  });

  test("what stands level with something across the gutter belongs to other columns", () => {
    const wide = linesAt(["this column is as wide as", "others are not, and so on"], { baseline: 300 });
    const narrow = linesAt(["narrow text", "beside it"], { left: 150, baseline: 303 });
    const bands = bandsOfStrips([...left(100), ...right(100), ...wide, ...narrow], 120);
    expect(bands.map(({ boxes, kind }) => [kind, boxes.length])).toEqual([
      ["columns", 4],
      ["across", 4],
    ]);
  });

  test("short texts level with each other are cells", () => {
    const labels = linesAt(["Name of it", "Day of birth", "Place"], { baseline: 100 });
    const values = linesAt(["yes", "no and yes 12", "no"], { left: 130, baseline: 100 });
    expect(bandsOfStrips([...labels, ...values], 120).map(({ kind }) => kind)).toEqual(["cells"]);
  });

  test("labels of a figure beside text are no cells", () => {
    const text = linesAt(["the left column of", "the page in four lines", "and more of them, and", "then no more"]);
    const labels = [lineAt("axis", { left: 130, baseline: 104 }), lineAt("100", { left: 190, baseline: 118 })];
    expect(bandsOfStrips([...text, ...labels], 120).map(({ kind }) => kind)).toEqual(["columns"]);
  });

  test("where strips hang together, single lines part the columns", () => {
    const formula = lineAt("a formula longer than its own column", { baseline: 124 });
    const beside = lineAt("text", { left: 200, baseline: 124 });
    const bands = bandsOfBoxes([...left(100), ...right(100), formula, beside, ...left(136), ...right(136)], 120);
    expect(bands.map(({ kind }) => kind)).toEqual(["columns", "across", "columns"]);
  });
});
