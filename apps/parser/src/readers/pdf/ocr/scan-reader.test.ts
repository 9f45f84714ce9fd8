import { makePdf } from "@attune/testkit/make-pdf.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../../../limits/budget.ts";
import { defaultLimits } from "../../../limits/default-limits.ts";
import type { PageRecogniser, Recognition } from "../../../ocr/recogniser.ts";
import { readSource } from "../../../reading/read-source.ts";

const word = (text: string, at: number) =>
  `<span class='ocrx_word' title='bbox ${at} 300 ${at + 90} 330; x_wconf 92'>${text}</span>`;
const hocr = (...words: string[]) =>
  `<div class='ocr_page'><span class='ocr_line' title='bbox 200 300 1600 330; x_size 30'>` +
  `${words.map((text, index) => word(text, 200 + index * 100)).join("")}</span></div>`;

const read: Recognition = { outcome: "read", hocr: hocr("read", "from", "the", "picture") };

interface Asked {
  readonly pages: readonly string[];
  readonly when?: "auto" | "always" | "never";
  readonly answer?: (count: number) => Recognition;
  readonly obstacle?: string;
  readonly notice?: string;
}

async function ocr({ pages, when = "auto", answer = () => read, obstacle, notice }: Asked) {
  let count = 0;
  let isReady = false;
  const recogniser: PageRecogniser = {
    get isReady() {
      return isReady;
    },
    prepare: async () => {
      isReady = obstacle === undefined;
      return obstacle;
    },
    recognise: () => answer(++count),
    notice,
  };
  const outcome = await readSource(
    {
      bytes: makePdf({ pages: pages.map((content) => ({ content, mediaBox: "[0 0 300 300]" })) }),
      fileName: "a.pdf",
      format: "pdf",
    },
    { pages: [], headersFooters: "keep", images: "placeholder", ocr: { when, languages: ["eng"] }, recogniser },
    new Budget(defaultLimits),
  );
  return { text: JSON.stringify(outcome.document.blocks), warnings: outcome.warnings, count };
}

/** Pages of 300 by 300 points: an inline picture of four pixels over all of it, and text of eleven points. */
const picture = "q 300 0 0 300 0 0 cm BI /W 2 /H 2 /CS /G /BPC 8 ID \x00\xff\xff\x00 EI Q";
const text = (words: string, at = 150) => `BT /F1 11 Tf 60 ${at} Td (${words}) Tj ET`;
const hidden = (words: string) => `BT 3 Tr /F1 11 Tf 60 150 Td (${words}) Tj ET`;
const drawing = "0 0 m 200 200 l 100 250 l S 50 270 m 250 150 l 90 20 l S";

describe("OCR of PDF pages", () => {
  test("pictures beside text are not read, and it is told how many, where, and what reads them", async () => {
    const drawn = (width: number, height: number) =>
      picture.replace("300 0 0 300 0 0", `${width} 0 0 ${height} 20 200`);
    const figures = `${text("Text of its own.")} ${drawn(90, 60)} ${drawn(80, 40)}`;
    const pages = [figures, `${text("Text with a logo.")} ${drawn(60, 60)} ${drawn(200, 20)}`, figures];
    const { warnings, count } = await ocr({ pages });
    expect(warnings).toEqual([
      "pages 1, 3: 4 pictures beside text were not read by OCR; should there be text in them, the override ocr=always reads the pages as they look",
    ]);
    expect(count).toBe(0);
    expect((await ocr({ pages, when: "never" })).warnings).toEqual([]);
  });

  test("that another recogniser had to be taken is told", async () => {
    const { warnings } = await ocr({ pages: [picture], notice: "Another one read." });
    expect(warnings).toContain("Another one read.");
  });

  test("a page that is a picture is read, one with text is not", async () => {
    const { text: all, warnings, count } = await ocr({ pages: [text("Text of its own."), picture] });
    expect(all).toMatch(/Text of its own.*read from the picture/);
    expect(warnings).toEqual(["page 2: no text layer, OCR used (eng)"]);
    expect(count).toBe(1);
  });

  test("text drawn as lines is read, an empty page is not", async () => {
    const { text: all, warnings, count } = await ocr({ pages: [drawing, "", text("End.")] });
    expect(all).toMatch(/read from the picture.*End/);
    expect(warnings).toEqual(["page 1: no text layer, OCR used (eng)"]);
    expect(count).toBe(1);
  });

  test("always: every page is read from its picture; never: none is, and that is told", async () => {
    const always = await ocr({ pages: [text("Text of its own.")], when: "always" });
    expect(always.text).toMatch(/read from the picture/);
    expect(always.text).not.toMatch(/of its own/);
    expect(always.warnings).toEqual(["page 1: OCR wanted for every page, OCR used (eng)"]);
    const never = await ocr({ pages: [text("Text of its own."), picture], when: "never" });
    expect(never.count).toBe(0);
    expect(never.warnings).toEqual([
      "page 2: no text layer, only pictures, which were not read (the override ocr is never)",
    ]);
  });

  test("a text layer that makes no sense is replaced, and kept where OCR finds nothing better", async () => {
    const garbled =
      [1, 2, 3, 4, 5, 6]
        .map((line) => text("\\001\\002\\003\\004\\005\\006\\007\\016\\017\\020".repeat(3), 280 - line * 20))
        .join(" ") + drawing;
    const better = await ocr({
      pages: [garbled],
      answer: () => ({
        outcome: "read",
        hocr: hocr(..."clear words in a row that go on and on to the end".split(" ")),
      }),
    });
    expect(better.warnings[0]).toBe("page 1: text layer unreadable, OCR used (eng)");
    expect(better.text).toMatch(/clear words in a row/);
    const worse = await ocr({ pages: [garbled], answer: () => ({ outcome: "read", hocr: "" }) });
    expect(worse.warnings).toContain("page 1: text layer unreadable, and OCR found no text (eng)");
    expect(worse.warnings.join()).toMatch(/looks garbled/);
  });

  test("a scan with invisible text over it has been read before", async () => {
    const { text: all, warnings, count } = await ocr({ pages: [`${picture} ${hidden("Read before.")}`] });
    expect(all).toMatch(/Read before/);
    expect(warnings).toEqual(["page 1: a scan with a text layer made by OCR before, which was used"]);
    expect(count).toBe(0);
  });

  test("always reads such a scan anew", async () => {
    const { text: all } = await ocr({ pages: [`${picture} ${hidden("Read before.")}`], when: "always" });
    expect(all).toMatch(/read from the picture/);
  });

  test("a scan with a stamp in its margin is read; a picture with words in its middle is not", async () => {
    const stamped = await ocr({ pages: [`${picture} ${text("No. 7", 20)}`] });
    expect(stamped.text).toMatch(/read from the picture/);
    expect(stamped.warnings).toEqual(["page 1: a scan with hardly any text of its own, OCR used (eng)"]);
    const slide = await ocr({ pages: [`${picture} ${text("Thank you", 150)}`] });
    expect([slide.count, slide.warnings]).toEqual([
      0,
      [expect.stringMatching(/^page 1: 1 picture beside text was not/)],
    ]);
    const photograph = await ocr({
      pages: [`${picture} ${text("Figure 7", 20)}`],
      answer: () => ({ outcome: "read", hocr: "" }),
    });
    expect([photograph.text, photograph.warnings]).toEqual([expect.stringMatching(/Figure 7/), []]);
  });

  test("where OCR is not possible, the text that is there is given, and the remedy told", async () => {
    const { warnings } = await ocr({
      pages: [text("Text."), picture, picture],
      obstacle: "there is no OCR data for deu: install it",
    });
    expect(warnings).toEqual([
      "pages 2–3: no text layer, and not read by OCR: there is no OCR data for deu: install it",
    ]);
  });

  test("a document of which nothing is left says why", async () => {
    await expect(ocr({ pages: [picture], obstacle: "there is none" })).rejects.toThrow(
      /^OCR_UNAVAILABLE.*There is none\./,
    );
    await expect(ocr({ pages: [picture], answer: () => ({ outcome: "timeout" }) })).rejects.toThrow(/^PARSE_TIMEOUT/);
    await expect(ocr({ pages: [picture], when: "never" })).rejects.toThrow(/^TEXT_NOT_FOUND/);
  });

  test("a page that OCR does not get done is told, and the rest is given", async () => {
    const { warnings } = await ocr({
      pages: [picture, text("Text."), picture],
      answer: (count) => (count === 1 ? read : { outcome: "timeout" }),
    });
    expect(warnings).toEqual([
      "page 1: no text layer, OCR used (eng)",
      "page 3: no text layer, and the time allowed was spent before OCR was done",
    ]);
  });
});
