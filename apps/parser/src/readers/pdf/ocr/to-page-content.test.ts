import { describe, expect, test } from "vitest";
import type { OcrWord } from "../../../ocr/parse-hocr.ts";
import { findPageLines } from "../layout/page-lines.ts";
import { findBoldLines } from "./bold-lines.ts";
import { evenSizes } from "./even-sizes.ts";
import { mendWords } from "./mend-words.ts";
import { toPageContent } from "./to-page-content.ts";

const word = (text: string, left: number, right: number): OcrWord => ({
  text,
  left,
  right,
  top: 0,
  bottom: 20,
  confidence: 90,
});
const parts = { number: 1, rules: [], backgrounds: [], images: [], links: [] };
const textOf = (turn: 0 | 1 | 2 | 3, words: readonly OcrWord[]) => ({
  width: 1700,
  height: 2200,
  dpi: 200,
  turn,
  skew: 0,
  confidence: 90,
  illegibleLines: 0,
  lines: [{ words, left: 100, top: 80, right: 800, bottom: 110, baseline: 104, size: 27 }],
});

describe("toPageContent", () => {
  test("words become glyphs in points that stand on the baseline of their line", () => {
    const page = toPageContent(textOf(0, [word("Two", 100, 160), word("words", 172, 272)]), parts);
    expect([page.width, page.height]).toEqual([612, 792]);
    expect(page.glyphs.map(({ text }) => text).join("")).toBe("Twowords");
    expect(page.glyphs.filter(({ isAfterSpace }) => isAfterSpace).map(({ text }) => text)).toEqual(["T", "w"]);
    const [first] = page.glyphs;
    expect(first).toMatchObject({ left: 36, baseline: (104 * 72) / 200, style: { size: 10.1, turn: 0 } });
  });

  test.each([
    [1, 3, [792, 612]],
    [2, 2, [612, 792]],
    [3, 1, [792, 612]],
  ] as const)("text that %i turns set upright runs the other way on the page as it is shown", (turn, style, shown) => {
    const page = toPageContent(textOf(turn, [word("Text", 100, 200)]), parts);
    expect(page.glyphs[0]?.style.turn).toBe(style);
    expect([page.width, page.height]).toEqual(shown);
    // The layout turns the page, and finds the line where it was read.
    const lines = findPageLines(page);
    expect([lines.width, lines.height]).toEqual([612, 792]);
    expect(lines.lines[0]?.left).toBe(36);
  });
});

describe("evenSizes", () => {
  const lines = (...sizes: readonly number[]) => sizes.map((size) => ({ size, letterCount: 50 }));

  test("lines of the running text have one size, whatever was measured", () => {
    expect(new Set(evenSizes(lines(27, 26, 29, 27, 25, 28, 30)))).toEqual(new Set([27]));
  });

  test("headings keep their sizes, alike where they are close", () => {
    expect(evenSizes(lines(27, 41, 27, 27, 43, 27, 27, 60, 27, 15))).toEqual([27, 41, 27, 27, 41, 27, 27, 60, 27, 15]);
  });

  test("no lines, no sizes", () => expect(evenSizes([])).toEqual([]));
});

describe("mendWords", () => {
  const ends = (...words: OcrWord[]) => mendWords(words, 30).map(({ right }) => right);

  test("signs of full width reach to the next", () => {
    expect(ends(word("文字", 0, 50), word("，", 54, 60), word("标题", 80, 130))).toEqual([54, 80, 130]);
  });

  test("a word ends where the next begins", () => {
    expect(ends(word("识别", 470, 690), word("图", 540, 570))).toEqual([540, 570]);
  });

  test("two spaces after a sentence are one", () => {
    expect(ends(word("copy.", 0, 100), word("The", 140, 180))).toEqual([128, 180]);
    expect(ends(word("copy", 0, 100), word("The", 140, 180))).toEqual([100, 180]);
    expect(ends(word("Total.", 0, 100), word("12", 240, 280))).toEqual([100, 280]);
  });

  test("words of a script that runs to the left stay as they are", () => {
    expect(ends(word("שלום", 100, 160), word("עולם", 20, 90))).toEqual([160, 90]);
  });
});

describe("findBoldLines", () => {
  const line = (stroke: number | undefined) =>
    ({ ...textOf(0, [word("Some words", 0, 99)]).lines[0], stroke }) as never;
  const bold = (...strokes: readonly (number | undefined)[]) =>
    findBoldLines(
      strokes.map(line),
      strokes.map(() => 27),
    );

  test("thicker strokes than most lines of their size have are bold", () => {
    expect(bold(4.4, 2.8, 2.9, undefined, 2.7, 3.2)).toEqual([true, false, false, false, false, false]);
  });

  test("larger letters have thicker strokes, and are not bold for that", () => {
    expect(findBoldLines([4.2, 2.8, 2.8].map(line), [41, 27, 27])).toEqual([false, false, false]);
  });
});
