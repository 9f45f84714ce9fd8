import { expect, test } from "vitest";
import { parseHocr } from "./parse-hocr.ts";

const page = (lines: string) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html><head><meta name='ocr-system' content='tesseract 5.3.0' /></head><body>
<div class='ocr_page' id='page_1' title='image "unknown"; bbox 0 0 800 600; ppageno 0'>
 <div class='ocr_carea' title="bbox 10 10 700 90"><p class='ocr_par' title="bbox 10 10 700 90">${lines}</p></div>
</div></body></html>`;

test("lines come with their baseline and size, words with their boxes and confidence", () => {
  const line = `<span class='ocr_line' title="bbox 100 50 300 80; baseline 0.01 -6; x_size 27; x_descenders 6; x_ascenders 7">
    <span class='ocrx_word' title='bbox 100 50 180 80; x_wconf 96'>Tom &amp;</span>
    <span class='ocrx_word' title='bbox 190 52 300 78; x_wconf 61'><strong>Jerry</strong></span></span>`;
  expect(parseHocr(page(line))).toEqual([
    {
      left: 100,
      top: 50,
      right: 300,
      bottom: 80,
      size: 27,
      baseline: 80 - 6 + 0.01 * 100,
      words: [
        { left: 100, top: 50, right: 180, bottom: 80, text: "Tom &", confidence: 96 },
        { left: 190, top: 52, right: 300, bottom: 78, text: "Jerry", confidence: 61 },
      ],
    },
  ]);
});

test("headers, captions and floats are lines too; empty words and boxes without a size are none", () => {
  const word = `<span class='ocrx_word' title='bbox 1 1 9 9; x_wconf 9'>a</span>`;
  const empty = `<span class='ocrx_word' title='bbox 1 1 9 9; x_wconf 9'> </span><span class='ocrx_word' title='bbox 9 9 9 9; x_wconf 9'>b</span>`;
  const lines = ["ocr_header", "ocr_caption", "ocr_textfloat"].map(
    (kind) => `<span class='${kind}' title="bbox 1 1 9 9">${word}</span>`,
  );
  const all = parseHocr(page(`${lines.join("")}<span class='ocr_line' title="bbox 1 1 9 9">${empty}</span>`));
  expect(all.map(({ words }) => words.map(({ text }) => text))).toEqual([["a"], ["a"], ["a"]]);
});

test.each(["", "nothing", "<div class='ocr_page'", page("")])("no page, no lines: %s", (hocr) => {
  expect(parseHocr(hocr)).toEqual([]);
});
