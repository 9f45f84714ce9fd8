import { bmpOf } from "@attune/testkit/hostile/image-headers.ts";
import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import type { PageRecogniser } from "../ocr/recogniser.ts";
import type { ReadOptions } from "../readers/reader.ts";
import { makeTiff } from "../readers/image/make-tiff.fixture.ts";
import { readSource } from "./read-source.ts";

const inked = new Uint8Array(300 * 200).fill(255);
for (let y = 40; y < 60; y++) inked.fill(0, y * 300 + 20, y * 300 + 280);
const scan = makeTiff([{ width: 300, height: 200, pixels: inked }]);

const frame = (name: string) =>
  `<draw:frame text:anchor-type="as-char"><draw:image xlink:href="Pictures/${name}"/></draw:frame>`;

function makeOdt(body: string, pictures: Readonly<Record<string, Uint8Array>>): Buffer {
  const names =
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"';
  const content = `<office:document-content ${names}><office:body><office:text>${body}</office:text></office:body></office:document-content>`;
  return makeZip([
    { name: "mimetype", bytes: "application/vnd.oasis.opendocument.text", method: 0 },
    { name: "content.xml", bytes: content },
    ...Object.entries(pictures).map(([name, bytes]) => ({ name: `Pictures/${name}`, bytes })),
  ]);
}

async function read(bytes: Buffer, when: "auto" | "always" | "never", format = "odt") {
  let count = 0;
  const recogniser: PageRecogniser = {
    isReady: true,
    prepare: async () => undefined,
    recognise: () => {
      const word = `<span class='ocrx_word' title='bbox 20 40 280 60; x_wconf 90'>seen${++count}</span>`;
      return {
        outcome: "read",
        hocr: `<div class='ocr_page'><span class='ocr_line' title='bbox 20 40 280 60; x_size 30'>${word}</span></div>`,
      };
    },
  };
  const options: ReadOptions = { pages: [], headersFooters: "drop", images: "placeholder" };
  const { document, warnings } = await readSource(
    { bytes, fileName: `file.${format}`, format },
    { ...options, ocr: { when, languages: ["eng"] }, recogniser },
    new Budget(defaultLimits),
  );
  return { blocks: document.blocks, text: JSON.stringify(document.blocks), warnings, count };
}

const twice = makeOdt(`<text:p>Before ${frame("a.tiff")} after.</text:p><text:p>Again ${frame("a.tiff")}.</text:p>`, {
  "a.tiff": scan,
});

describe("pictures in office files", () => {
  test("left to choose, OCR does not read pictures beside text, and tells how many and what reads them", async () => {
    const { warnings, count } = await read(twice, "auto");
    expect(count).toBe(0);
    expect(warnings).toEqual([
      "2 pictures were not read by OCR; should there be text in them, the override ocr=always reads them.",
    ]);
    expect((await read(twice, "never")).warnings).toEqual([]);
  });

  test("wanted for all, it reads each once and puts its text behind the block, without its bytes", async () => {
    const { blocks, text, warnings, count } = await read(twice, "always");
    expect(count).toBe(1);
    expect(blocks.map(({ type }) => type)).toEqual(["paragraph", "paragraph", "paragraph", "paragraph"]);
    expect(text).toMatch(/Before.*a\.tiff.*after.*seen1.*Again.*seen1/);
    expect(text).not.toContain('"data"');
    expect(warnings).toEqual(["a.tiff: page 1: a picture, OCR used (eng)"]);
  });

  test("a file of nothing but pictures is read without being asked", async () => {
    const { text, count } = await read(makeOdt(`<text:p>${frame("a.tiff")}</text:p>`, { "a.tiff": scan }), "auto");
    expect(count).toBe(1);
    expect(text).toContain("seen1");
  });

  test("a picture of a kind that OCR does not know, and one that is broken, are named", async () => {
    const odt = makeOdt(`<text:p>x ${frame("b.emf")} ${frame("c.bmp")}</text:p>`, {
      "b.emf": Buffer.from("drawing"),
      "c.bmp": bmpOf(60_000),
    });
    const { warnings } = await read(odt, "always");
    expect(warnings.join("\n")).toMatch(/The picture b\.emf was not read by OCR, which does not know its type/);
    expect(warnings.join("\n")).toMatch(/The picture c\.bmp was not read by OCR: \w+/);
  });

  test("pictures of a file inside an archive are counted once, with its name", async () => {
    const { warnings } = await read(makeZip([{ name: "in.odt", bytes: twice }]), "auto", "zip");
    expect(warnings).toEqual([
      "in.odt: 2 pictures were not read by OCR; should there be text in them, the override ocr=always reads them.",
    ]);
  });
});
