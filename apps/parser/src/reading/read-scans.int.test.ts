import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { createPageRecogniser } from "../ocr/create-page-recogniser.ts";
import type { GrayPicture } from "../ocr/gray-picture.ts";
import { type QuarterTurn, turnPicture } from "../ocr/turn-picture.ts";
import { makeTiff } from "../readers/image/make-tiff.fixture.ts";
import { openLeptonica } from "../readers/image/leptonica.ts";
import { openPicturePages } from "../readers/image/picture-pages.ts";
import { readSource } from "./read-source.ts";

const chinese = `文档解析服务把各种文件转换为适合训练的文本。
每一页先检查有没有文字层。如果没有，就由识别程序读出文字。
凡是没有读出来的内容，服务都会说明原因，并且告诉用户应该怎么做。`;
const mixed = `本系统使用 Tesseract 识别图片中的文字，分辨率为 200 dpi。
The service tells which pages were read by OCR.
模型训练需要干净的文本，因此 headers and footers 会被去掉。`;
const english = `The service reads each page on its own.
A table of results is given in the appendix,
together with the commands that made it.`;

const folder = mkdtempSync(join(tmpdir(), "scans-"));
afterAll(() => rmSync(folder, { recursive: true }));

const options = { pages: [], headersFooters: "keep", images: "placeholder" } as const;
const fonts = ["--fonts_dir", "/usr/share/fonts", "--fontconfig_tmpdir", folder];
const listed = spawnSync("text2image", ["--list_available_fonts", ...fonts], { encoding: "utf8", timeout: 60_000 });
const names = `${listed.stdout}${listed.stderr}`.split("\n").map((line) => line.replace(/^\s*\d+:\s*/, ""));
const chineseFont = names.find((name) => /^(?:Noto Sans CJK SC|WenQuanYi Zen Hei Medium)$/.test(name));
const latinFont = names.find((name) => /^(?:DejaVu Sans|Liberation Sans|Noto Sans)$/.test(name)) ?? chineseFont;
if (chineseFont === undefined || latinFont === undefined) {
  const font = `text2image (tesseract-ocr) with ${latinFont === undefined ? "any" : "a Chinese"} font, such as fonts-noto-cjk`;
  console.log(`OCR of pages ${latinFont === undefined ? "" : "in Chinese "}is not tested: it takes ${font}.`);
}

describe("pages whose text is known, drawn and read by the Tesseract that comes with this program", () => {
  test.skipIf(chineseFont === undefined).for([
    ["Chinese", chinese, "chi_sim", 0],
    ["Chinese and English", mixed, "chi_sim+eng", 0],
    ["Chinese, turned by 90°", chinese, "chi_sim", 1],
    ["Chinese and English, turned by 180°", mixed, "chi_sim+eng", 2],
    ["Chinese, turned by 270°", chinese, "chi_sim", 3],
  ] as const)("%s", { timeout: 300_000 }, async ([, text, languages, turn]) => {
    expect(await shareRead({ text, languages, turn, font: chineseFont ?? "" })).toBeGreaterThan(0.9);
  });

  test.skipIf(latinFont === undefined).for([0, 1, 2, 3] as const)(
    "English, turned by %i quarters",
    { timeout: 300_000 },
    async (turn) => {
      expect(await shareRead({ text: english, languages: "eng", turn, font: latinFont ?? "" })).toBeGreaterThan(0.9);
    },
  );
});

interface Page {
  readonly text: string;
  readonly languages: string;
  readonly turn: QuarterTurn;
  readonly font: string;
}

/** The letters of the page that were read, in order, of all letters there and read. */
async function shareRead({ text, languages, turn, font }: Page): Promise<number> {
  const { width, height, pixels } = turnPicture(await drawPage(text, font), turn);
  const { document } = await readSource(
    { bytes: makeTiff([{ width, height, pixels, dpi: 200 }]), fileName: "page.tiff", format: "tiff" },
    { ...options, ocr: { when: "auto", languages: languages.split("+") }, recogniser: createPageRecogniser(undefined) },
    new Budget({ ...defaultLimits, timeoutMs: 280_000 }),
  );
  const [truth, read] = [lettersOf(text), lettersOf(textIn(document.blocks))];
  return (2 * commonLength(truth, read)) / (truth.length + read.length);
}

async function drawPage(text: string, font: string): Promise<GrayPicture> {
  const [source, base] = [join(folder, "page.txt"), join(folder, "page")];
  writeFileSync(source, text);
  const size = ["--resolution", "200", "--ptsize", "12", "--xsize", "1700", "--ysize", "600", "--margin", "80"];
  const looks = ["--leading", "14", "--degrade_image=false", "--font", font];
  const args = ["--text", source, "--outputbase", base, ...fonts, ...size, ...looks];
  const { status, stderr } = spawnSync("text2image", args, { encoding: "utf8", timeout: 60_000 });
  if (status !== 0) throw new Error(`text2image: ${stderr}`);
  const leptonica = await openLeptonica();
  try {
    const input = { bytes: readFileSync(`${base}.tif`), fileName: "page.tif", format: "tiff" };
    const context = { options, budget: new Budget(defaultLimits), depth: 0, warn: () => {}, readPart: nothingInside };
    const picture = openPicturePages(input, leptonica, context).decode(0);
    if (picture === undefined) throw new Error("text2image drew nothing that can be decoded");
    return picture;
  } finally {
    leptonica.close();
  }
}

const nothingInside = (): never => {
  throw new Error("there is nothing in a picture");
};

function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textIn).join("");
  const { inlines, blocks, items, rows } = (value ?? {}) as Record<string, unknown>;
  return [inlines, blocks, items, rows]
    .filter((part) => part !== undefined)
    .map(textIn)
    .join("");
}

const lettersOf = (text: string): string => text.normalize("NFKC").replaceAll(/[^\p{L}\p{N}]+/gu, "");

/** Length of the longest run of characters, in order, that both have. */
function commonLength(a: string, b: string): number {
  let above = Array<number>(b.length + 1).fill(0);
  for (const letter of a) {
    const row = [0];
    for (let at = 0; at < b.length; at++) {
      const both = letter === b[at] ? (above[at] ?? 0) + 1 : 0;
      row.push(Math.max(both, above[at + 1] ?? 0, row[at] ?? 0));
    }
    above = row;
  }
  return above.at(-1) ?? 0;
}
