import { describe, expect, test } from "vitest";
import type { GrayPicture } from "./gray-picture.ts";
import { pageOfBars } from "./page-of-bars.fixture.ts";
import { readPicture } from "./read-picture.ts";
import type { Recognition } from "./recogniser.ts";
import { scalePicture } from "./scale-picture.ts";
import { turnPicture } from "./turn-picture.ts";

/** Marks the upper left corner of the page, so that a recogniser can tell which side is up. */
function markedPage(): GrayPicture {
  const page = pageOfBars();
  for (let y = 0; y < 20; y++) page.pixels.fill(0, y * page.width, y * page.width + 20);
  return page;
}

const hocr = (text: string, confidence: number, size = 30) =>
  `<div class='ocr_page'><span class='ocr_line' title='bbox 0 0 99 ${size}; x_size ${size}'>` +
  `<span class='ocrx_word' title='bbox 0 0 99 ${size}; x_wconf ${confidence}'>${text}</span></span></div>`;

/** Reads a marked page surely when it is upright, and makes little of it otherwise. */
function uprightRecogniser(size?: number) {
  const seen: GrayPicture[] = [];
  const recognise = ({ picture }: { readonly picture: GrayPicture }): Recognition => {
    seen.push(picture);
    const isUpright = picture.pixels[5 * picture.width + 5] === 0;
    return { outcome: "read", hocr: isUpright ? hocr("upright", 95, size) : hocr("~~", 40, size) };
  };
  return { seen, recogniser: { isReady: true, prepare: async () => undefined, recognise } };
}

const work = (recogniser: ReturnType<typeof uprightRecogniser>["recogniser"]) => ({
  recogniser,
  languages: ["eng"],
  leftMs: () => 1000,
});

describe("readPicture", () => {
  test.each([
    [0, 1],
    [1, 2],
    [2, 2],
    [3, 1],
  ] as const)("a page turned by %i quarters is set upright in %i readings", (turn, readings) => {
    const { seen, recogniser } = uprightRecogniser();
    const reading = readPicture(turnPicture(markedPage(), turn), work(recogniser));
    expect(reading).toMatchObject({ outcome: "read", text: { turn: (4 - turn) % 4, width: 600, height: 800 } });
    expect(seen).toHaveLength(readings);
  });

  test("lines of which nothing can be made out are left out and counted", () => {
    const recogniser = {
      ...uprightRecogniser().recogniser,
      recognise: () => ({ outcome: "read", hocr: hocr("~", 12) }) as const,
    };
    expect(readPicture(markedPage(), work(recogniser))).toMatchObject({
      text: { lines: [], illegibleLines: 1, confidence: 0 },
    });
  });

  test("small letters are read again, larger", () => {
    const { seen, recogniser } = uprightRecogniser(12);
    readPicture(markedPage(), work(recogniser));
    expect(seen.map(({ width }) => width)).toEqual([600, 1600]);
    expect(seen[1]?.dpi).toBeCloseTo(267, 0);
  });

  test("what has been read stands when time runs out at the second look", () => {
    let left = 2;
    const { recogniser } = uprightRecogniser();
    const page = turnPicture(markedPage(), 2);
    const reading = readPicture(page, { ...work(recogniser), leftMs: () => (left-- > 1 ? 1000 : 0) });
    expect(reading).toMatchObject({ outcome: "read", text: { confidence: 40 } });
    expect(readPicture(page, { ...work(recogniser), leftMs: () => 0 })).toEqual({ outcome: "timeout" });
  });

  test("a failure is passed on", () => {
    const failed = { outcome: "failed", detail: "It broke." } as const;
    const recogniser = { ...uprightRecogniser().recogniser, recognise: () => failed };
    expect(readPicture(markedPage(), work(recogniser))).toEqual(failed);
  });

  test("a page of one shade is not read at all", () => {
    const { seen, recogniser } = uprightRecogniser();
    const blank = { width: 50, height: 50, pixels: new Uint8Array(2500).fill(200), dpi: 100 };
    expect(readPicture(blank, work(recogniser))).toMatchObject({ outcome: "read", text: { lines: [] } });
    expect(seen).toEqual([]);
  });
});

test("scaling keeps shades and the size on paper", () => {
  const grey = { width: 40, height: 20, pixels: new Uint8Array(800).fill(77), dpi: 100 };
  const large = scalePicture(grey, 2.5);
  expect(large).toMatchObject({ width: 100, height: 50, dpi: 250 });
  expect(new Set(large.pixels)).toEqual(new Set([77]));
  expect(new Set(scalePicture(grey, 0.3).pixels)).toEqual(new Set([77]));
});
