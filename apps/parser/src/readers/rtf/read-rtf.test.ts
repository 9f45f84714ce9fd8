import { describe, expect, test } from "vitest";
import type { Document } from "../../document/document.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { ReadContext } from "../reader.ts";
import { readRtf } from "./read-rtf.ts";

async function read(source: string): Promise<{ document: Document; warnings: string[] }> {
  const warnings: string[] = [];
  const context: ReadContext = {
    options: { pages: [], headersFooters: "drop", images: "placeholder" },
    budget: new Budget(defaultLimits),
    depth: 0,
    warn: (sentence) => void warnings.push(sentence),
    readPart: async () => ({ metadata: {}, blocks: [] }),
  };
  const input = { bytes: Buffer.from(source, "latin1"), fileName: "a.rtf", format: "rtf" };
  return { document: await readRtf(input, context), warnings };
}

const paragraph = (...inlines: unknown[]): unknown => ({ type: "paragraph", inlines });

describe("characters", () => {
  test.each([
    ["code page of the document", "{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8}", "При"],
    ["charset of the font", "{\\rtf1{\\fonttbl{\\f0\\fcharset161 A;}}\\f0 \\'e1\\'e2}", "αβ"],
    [
      "double bytes, the second one written plainly",
      "{\\rtf1{\\fonttbl{\\f0\\fcharset128 A;}}\\f0 \\'83A\\'83C}",
      "アイ",
    ],
    ["Unicode with a fallback of two bytes", "{\\rtf1\\uc2 \\u8364 ab!}", "€!"],
    ["negative Unicode", "{\\rtf1 \\u-10187?\\u-8704?}", "\u{d835}\u{de00}"],
    ["symbols of a symbol font", "{\\rtf1{\\fonttbl{\\f0\\fcharset2 Symbol;}}\\f0 ab}", "αβ"],
    [
      "a careless charset 0 in a Russian document",
      "{\\rtf1\\ansicpg1251{\\fonttbl{\\f0\\fcharset0 A;}}\\f0 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2}",
      "Привет",
    ],
  ])("%s is decoded", async (_, source, expected) => {
    expect((await read(source)).document.blocks).toEqual([paragraph(expected)]);
  });

  test("ignorable groups that nobody knows are left out", async () => {
    expect((await read("{\\rtf1 a{\\*\\whatever b}c}")).document.blocks).toEqual([paragraph("ac")]);
  });

  test("hidden text is left out with a warning", async () => {
    const { document, warnings } = await read("{\\rtf1 a{\\v b}c}");

    expect(document.blocks).toEqual([paragraph("ac")]);
    expect(warnings).toHaveLength(1);
  });
});

describe("tables", () => {
  test("cells merged downwards and sideways become spans", async () => {
    const source =
      "{\\rtf1\\trowd\\clvmgf\\cellx1000\\cellx2000\\cellx3000\\intbl A\\cell B\\cell C\\cell\\row" +
      "\\trowd\\clvmrg\\cellx1000\\cellx3000\\intbl\\cell wide\\cell\\row}";

    expect((await read(source)).document.blocks).toEqual([
      {
        type: "table",
        headerRowCount: 0,
        rows: [[{ blocks: [paragraph("A")], rowSpan: 2 }, "B", "C"], [{ blocks: [paragraph("wide")], columnSpan: 2 }]],
      },
    ]);
  });

  test("text after the last cell mark is kept", async () => {
    expect(JSON.stringify((await read("{\\rtf1\\trowd\\cellx9\\intbl A\\cell lost\\par")).document)).toContain("lost");
  });
});

test("comments, deleted text and embedded objects are told with their number", async () => {
  const source =
    "{\\rtf1 a{\\*\\atnid B}{\\*\\annotation note}{\\deleted gone}{\\object{\\*\\objdata 00}{\\result shown}}{\\*\\annotation more}}";
  const { document, warnings } = await read(source);

  expect(document.blocks).toEqual([paragraph("ashown")]);
  expect(warnings).toEqual([
    "Text deleted under change tracking was left out.",
    "Comments were left out (2).",
    "Embedded objects were left out (1); their pictures, if any, stand for them.",
  ]);
});

describe("hostile files", () => {
  test("a million open groups cost no stack", async () => {
    expect((await read(`{\\rtf1 a${"{".repeat(1_000_000)}b`)).document.blocks).toEqual([paragraph("ab")]);
  });

  test("a lie about the length of binary bytes ends with the file", async () => {
    expect((await read("{\\rtf1 a\\bin2147483647 b}")).document.blocks).toEqual([paragraph("a")]);
  });

  test("bytes that are no RTF are refused", async () => {
    await expect(read("plain")).rejects.toThrow("DOCUMENT_CORRUPT");
  });
});

describe("formulas", () => {
  const formula = String.raw`{\mmath{\*\moMathPara{\moMathParaPr{\mjc left}}{\*\moMath{\mf{\mfPr{\mtype bar}}{\mnum{\mr\i\mscr0 a}}{\mden{\mr b}}}{\mr =}{\mnary{\mnaryPr{\mchr\u8721?}}{\msub{\mr i}}{\msup{\mr n}}{\me{\mr x}}}}}{\mmathPict{\pict\pngblip 89}}}`;

  test("are read as those of Word are, and once", async () => {
    const { document } = await read(String.raw`{\rtf1 so ${formula} is\par}`);

    expect(document.blocks).toEqual([
      paragraph("so ", { type: "formula", notation: "latex", text: String.raw`\frac{a}{b}=\sum_{i}^{n}x` }, " is"),
    ]);
  });

  test("that never end, or nest without end, keep their text", async () => {
    const deep = String.raw`{\rtf1{\*\moMath${String.raw`{\me`.repeat(5_000)}{\mr x`;

    expect((await read(deep)).document.blocks).toEqual([paragraph({ type: "formula", notation: "latex", text: "x" })]);
  });
});
