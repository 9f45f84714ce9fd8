import { firstFreeObject, makePdf } from "@attune/testkit/make-pdf.ts";
import { expect, test } from "vitest";
import { documentText } from "../../document/document-text.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readPdf } from "./read-pdf.ts";

interface Face {
  readonly name: string;
  readonly ordering: string;
  readonly encoding: string;
}

const chinese: Face = { name: "STSong-Light", ordering: "GB1", encoding: "UniGB-UTF16-H" };
const japanese: Face = { name: "HeiseiMin-W3", ordering: "Japan1", encoding: "UniJIS-UTF16-H" };
const korean: Face = { name: "HYSMyeongJo-Medium", ordering: "Korea1", encoding: "UniKS-UTF16-H" };

/** A page in a font that the file does not hold, with the character collection of its language (ISO 32000-1, 9.7.5.2). */
async function read(content: string, { name, ordering, encoding }: Face): Promise<string[]> {
  const number = firstFreeObject({ pages: [{ content }] });
  const bytes = makePdf({
    pages: [{ content }],
    fonts: `/CJK ${number} 0 R`,
    objects: [
      `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /${encoding} /DescendantFonts [${number + 1} 0 R] >>`,
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /DW 1000 /FontDescriptor ${number + 2} 0 R >>`,
      `<< /Type /FontDescriptor /FontName /${name} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /StemV 80 /CapHeight 700 >>`,
    ],
  });
  const document = await readPdf(
    { bytes, fileName: "a.pdf", format: "pdf" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder" },
      budget: new Budget(defaultLimits),
      depth: 0,
      warn: () => undefined,
      readPart: () => Promise.reject(new Error("A PDF has no parts.")),
    },
  );
  return [...documentText(document.blocks)];
}

function line(text: string, x: number, y: number): string {
  return `BT /CJK 12 Tf ${x} ${y} Td <${Buffer.from(text, "utf16le").swap16().toString("hex")}> Tj ET\n`;
}

const down = (lines: readonly string[]) => lines.map((text, index) => line(text, 72, 700 - index * 18)).join("");
const leftward = (lines: readonly string[]) => lines.map((text, index) => line(text, 540 - index * 20, 700)).join("");

test("lines of Chinese are joined without a space, those that end in Latin words with one", async () => {
  const lines = [
    "这是一个测试文档，用来检查中文换行处理“引号”",
    "和标点符号。它不应该在行与行之间加入空格，即",
    "使是有英文单词的行也应该按照原来的样子 PDF",
    "Attune 处理。",
  ];
  expect(await read(down(lines), chinese)).toEqual([`${lines[0]}${lines[1]}${lines[2]} ${lines[3]}`]);
});

const novel = [
  "吾輩は猫である。名前はまだ無い。どこで生れた",
  "かとんと見当がつかぬ。何でも薄暗い「じめじめ」した",
  "所でニャーニャー泣いていた事だけは記憶している。",
];

test("lines of Japanese are joined without a space", async () => {
  expect(await read(down(novel), japanese)).toEqual([novel.join("")]);
});

test("Japanese written downwards is read in columns from right to left", async () => {
  const vertical = { ...japanese, encoding: "UniJIS-UTF16-V" };
  expect(await read(leftward([...novel, "", "二番目の段落です。"]), vertical)).toEqual([
    novel.join(""),
    "二番目の段落です。",
  ]);
});

test("Korean keeps the spaces between its words at the ends of lines", async () => {
  const lines = [
    "모든 국민은 인간으로서의 존엄과 가치를 가지며 행복을",
    "추구할 권리를 가진다. 국가는 개인이 가지는 기본적",
  ];
  expect(await read(down(lines), korean)).toEqual([lines.join(" ")]);
});
