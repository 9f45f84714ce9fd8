import { makePictureOfText } from "@attune/testkit/make-picture-of-text.ts";
import { bmpOf } from "@attune/testkit/hostile/image-headers.ts";
import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { GrayPicture } from "../../ocr/gray-picture.ts";
import type { PageRecogniser, Recognition } from "../../ocr/recogniser.ts";
import { readSource } from "../../reading/read-source.ts";
import type { OcrOptions } from "../reader.ts";
import { makeTiff, type TiffPageSpec } from "./make-tiff.fixture.ts";

const inked = (width = 300, height = 200): Uint8Array => {
  const pixels = new Uint8Array(width * height).fill(255);
  // A bar as wide as a line of text, nearer to the top.
  for (let y = 40; y < 60; y++) pixels.fill(0, y * width + 20, y * width + width - 20);
  return pixels;
};
const page = (more: Partial<TiffPageSpec> = {}): TiffPageSpec => ({
  width: 300,
  height: 200,
  pixels: inked(),
  ...more,
});

const hocr = (text: string) =>
  `<div class='ocr_page'><span class='ocr_line' title='bbox 20 40 280 60; x_size 30'>` +
  `<span class='ocrx_word' title='bbox 20 40 280 60; x_wconf 90'>${text}</span></span></div>`;

/** Reads `seen N` from the Nth picture. */
function fakeRecogniser(answer?: (count: number) => Recognition) {
  const seen: GrayPicture[] = [];
  const recogniser: PageRecogniser = {
    isReady: true,
    prepare: async () => undefined,
    recognise: ({ picture }) => {
      seen.push(picture);
      return answer?.(seen.length) ?? { outcome: "read", hocr: hocr(`seen${seen.length}`) };
    },
  };
  return { seen, recogniser };
}

interface Reading {
  readonly bytes: Uint8Array;
  readonly format?: string;
  readonly ocr?: OcrOptions;
  readonly recogniser?: PageRecogniser;
  readonly maxPages?: number;
}

async function read({
  bytes,
  format = "tiff",
  ocr = { when: "auto", languages: ["eng"] },
  recogniser,
  maxPages,
}: Reading) {
  const { document, warnings } = await readSource(
    { bytes, fileName: `a.${format}`, format },
    {
      pages: [],
      headersFooters: "keep",
      images: "placeholder",
      ocr,
      recogniser: recogniser ?? fakeRecogniser().recogniser,
    },
    new Budget({ ...defaultLimits, ...(maxPages !== undefined && { maxPages }) }),
  );
  return { text: JSON.stringify(document.blocks), blocks: document.blocks, warnings };
}

describe("readImage", () => {
  test("each page of a TIFF file is read, and told", async () => {
    const { seen, recogniser } = fakeRecogniser();
    const { text, warnings } = await read({ bytes: makeTiff([page({ dpi: 300 }), page(), page()]), recogniser });
    expect(text).toMatch(/seen1.*seen2.*seen3/);
    expect(warnings).toEqual(["pages 1–3: a picture, OCR used (eng)"]);
    expect(seen.map(({ width, height, dpi }) => [width, height, dpi])).toEqual([
      [300, 200, 300],
      [300, 200, 96],
      [300, 200, 96],
    ]);
    expect(Buffer.from(seen[0]?.pixels ?? []).equals(Buffer.from(inked()))).toBe(true);
  });

  test("the pages asked for, and no more than are allowed", async () => {
    const { seen, recogniser } = fakeRecogniser();
    const { warnings } = await read({
      bytes: makeTiff(Array.from({ length: 30 }, () => page())),
      recogniser,
      maxPages: 2,
    });
    expect(seen).toHaveLength(2);
    expect(warnings[0]).toMatch(/^Only the first 2 of 30 pages were read/);
  });

  test("a Windows bitmap is decoded as it looks", async () => {
    const { seen, recogniser } = fakeRecogniser();
    await read({ bytes: makePictureOfText(), format: "bmp", recogniser });
    const [picture] = seen;
    const dark = picture?.pixels.filter((shade) => shade < 128).length ?? 0;
    expect(dark).toBeGreaterThan(5000);
    // The margin of 60 pixels is white, the H begins after it.
    expect([picture?.pixels[59 * (picture.width ?? 0) + 60], picture?.pixels[61 * (picture.width ?? 0) + 60]]).toEqual([
      255, 0,
    ]);
  });

  test.each([
    ["never", undefined, /TEXT_NOT_FOUND.*override `ocr` is never/],
    ["auto", { outcome: "timeout" }, /PARSE_TIMEOUT/],
    ["auto", { outcome: "failed", detail: "OCR ended with signal SIGSEGV." }, /ENGINE_FAILED.*SIGSEGV/],
    ["auto", { outcome: "read", hocr: "" }, /TEXT_NOT_FOUND.*OCR found no text in it \(eng\)/],
  ] as const)("a picture of which nothing is read says why: %s %j", async (when, answer, reason) => {
    const { recogniser } = fakeRecogniser(answer && (() => answer));
    await expect(read({ bytes: makeTiff([page()]), ocr: { when, languages: ["eng"] }, recogniser })).rejects.toThrow(
      reason,
    );
  });

  test("without the data of a language nothing is read, and the remedy is told", async () => {
    const recogniser = {
      ...fakeRecogniser().recogniser,
      isReady: false,
      prepare: async () => "there is no OCR data for deu: install it",
    };
    await expect(read({ bytes: makeTiff([page()]), recogniser })).rejects.toThrow(
      /^OCR_UNAVAILABLE.*There is no OCR data for deu: install it\./,
    );
  });

  test("one page that fails does not cost the others", async () => {
    const { recogniser } = fakeRecogniser((count) =>
      count === 2
        ? { outcome: "failed", detail: "OCR ended with status 1." }
        : { outcome: "read", hocr: hocr(`seen${count}`) },
    );
    const { text, warnings } = await read({ bytes: makeTiff([page(), page(), page()]), recogniser });
    expect(text).toMatch(/seen1.*seen3/);
    expect(warnings).toEqual([
      "pages 1, 3: a picture, OCR used (eng)",
      "page 2: a picture, and not read by OCR: OCR ended with status 1.",
    ]);
  });

  test("a reading without confidence is told", async () => {
    const { recogniser } = fakeRecogniser(() => ({
      outcome: "read",
      hocr: hocr("murky").replace("x_wconf 90", "x_wconf 45"),
    }));
    const { warnings } = await read({ bytes: makeTiff([page()]), recogniser });
    expect(warnings).toContain("page 1: OCR is unsure of what it read (confidence 45 of 100)");
  });

  test("more pixels than are allowed are refused before they are decoded", async () => {
    await expect(read({ bytes: bmpOf(90_000), format: "bmp" })).rejects.toThrow(/LIMIT_EXCEEDED.*90000 × 90000 pixels/);
  });

  test("a logo inside an archive is passed over, a picture of text read", async () => {
    const bytes = makeZip([
      { name: "logo.tiff", bytes: makeTiff([{ width: 40, height: 10 }]) },
      { name: "scan.tiff", bytes: makeTiff([page()]) },
    ]);
    const { text, warnings } = await read({ bytes, format: "zip" });
    expect(text).toMatch(/seen1/);
    expect(warnings).toEqual(["scan.tiff: page 1: a picture, OCR used (eng)"]);
  });

  test("wherever a file ends, it is read or refused with a reason", async () => {
    const tiff = makeTiff([page({ width: 40, height: 30, pixels: inked(40, 30).fill(0, 500, 600) })]);
    const bitmap = makePictureOfText();
    for (const [format, bytes] of [
      ["tiff", tiff],
      ["bmp", bitmap.subarray(0, 400)],
    ] as const) {
      for (let end = 0; end < bytes.length; end += 7) {
        const outcome = await read({ bytes: bytes.subarray(0, end), format }).then(() => "read", String);
        expect(outcome).toMatch(/^read$|AppError: (?:DOCUMENT_CORRUPT|TEXT_NOT_FOUND|LIMIT_EXCEEDED)/);
      }
    }
  });
});
