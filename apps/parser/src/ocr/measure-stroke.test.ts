import { describe, expect, test } from "vitest";
import { measureStroke } from "./measure-stroke.ts";
import type { OcrLine } from "./parse-hocr.ts";
import { splitLine } from "./split-line.ts";

const word = (left: number, right: number) => ({ text: "word", left, right, top: 10, bottom: 40, confidence: 90 });
const lineOf = (...words: ReturnType<typeof word>[]): OcrLine => ({
  words,
  left: 0,
  top: 10,
  right: 300,
  bottom: 40,
  baseline: 36,
  size: 30,
});

/** Upright strokes of this many pixels, the last of them half as dark, and a flat one that runs through all. */
function striped(thickness: number) {
  const pixels = new Uint8Array(300 * 50).fill(255);
  for (let y = 10; y < 40; y++) {
    for (let x = 10; x < 290; x += 14) {
      pixels.fill(0, y * 300 + x, y * 300 + x + Math.floor(thickness));
      pixels[y * 300 + x + Math.floor(thickness)] = 255 - 255 * (thickness % 1);
    }
    if (y === 24) pixels.fill(0, y * 300, (y + 1) * 300);
  }
  return { width: 300, height: 50, pixels, dpi: 200 };
}

describe("measureStroke", () => {
  test.each([2, 2.5, 3, 4.5])("finds strokes of %f pixels", (thickness) => {
    expect(measureStroke(striped(thickness), lineOf(word(10, 290)))).toBeCloseTo(thickness, 1);
  });

  test("tells nothing of a few strokes, of an empty place, or of words outside of the picture", () => {
    expect(measureStroke(striped(2), lineOf(word(9, 13)))).toBeUndefined();
    expect(
      measureStroke({ ...striped(2), pixels: new Uint8Array(15_000).fill(255) }, lineOf(word(10, 290))),
    ).toBeUndefined();
    expect(measureStroke(striped(2), lineOf(word(400, 900)))).toBeUndefined();
  });
});

describe("splitLine", () => {
  test("parts a line at gaps between columns", () => {
    const pieces = splitLine(lineOf(word(0, 40), word(50, 90), word(150, 190), word(200, 240)));
    expect(pieces.map(({ left, right, words }) => [left, right, words.length])).toEqual([
      [0, 90, 2],
      [150, 240, 2],
    ]);
  });

  test("keeps a line whole, in either direction of writing", () => {
    expect(splitLine(lineOf(word(0, 40), word(50, 90)))).toHaveLength(1);
    expect(splitLine(lineOf(word(50, 90), word(0, 40)))).toHaveLength(1);
  });
});
