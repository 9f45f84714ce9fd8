import { makeTaggedPdf, type PdfElement, pdfMarkedText } from "@attune/testkit/make-tagged-pdf.ts";
import { describe, expect, test } from "vitest";
import type { Block } from "../../document/document.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readPdf } from "./read-pdf.ts";

async function blocksOf(bytes: Uint8Array, headersFooters: "drop" | "keep" = "drop"): Promise<Block[]> {
  const { blocks } = await readPdf(
    { bytes, fileName: "", format: "pdf" },
    {
      options: { pages: [], headersFooters, images: "none" },
      budget: new Budget(defaultLimits),
      depth: 0,
      warn: () => {},
      readPart: () => Promise.reject(new Error("A PDF has no parts.")),
    },
  );
  return blocks.filter(({ type }) => type !== "pageBreak").map(withoutSource);
}

function withoutSource(block: Block): Block {
  const { source: _source, ...rest } = block;
  return rest;
}

const cell = (mark: number, rest: Partial<PdfElement> = {}): PdfElement => ({
  type: "TD",
  children: [{ type: "P", marks: [mark] }],
  ...rest,
});
const row = (...children: PdfElement[]): PdfElement => ({ type: "TR", children });
const paragraph = (inlines: string) => ({ type: "paragraph", inlines: [inlines] });
const textAt = (mark: number, text: string, [x, y]: readonly [number, number]) => pdfMarkedText(text, { x, y }, mark);

describe("tagged files", () => {
  test("a table is read from its tags, without lines, with spans and an empty cell", async () => {
    const content = [
      textAt(0, "Region of the survey", [72, 700]),
      textAt(1, "Both of the years together", [250, 700]),
      textAt(2, "Answers", [250, 680]),
      textAt(3, "Refusals", [350, 680]),
      textAt(4, "North", [72, 660]),
      textAt(5, "few", [350, 660]),
    ].join("");
    const span = { entries: "/A << /O /Table /ColSpan 2 >>" };
    const tall = { type: "TH", entries: "/A << /O /Table /RowSpan 2 >>" };
    const table = {
      type: "Table",
      children: [
        row(cell(0, tall), cell(1, { type: "TH", ...span })),
        row(cell(2, { type: "TH" }), cell(3, { type: "TH" })),
        row(cell(4), { type: "TD" }, cell(5)),
      ],
    };
    expect(await blocksOf(makeTaggedPdf(content, [table]))).toEqual([
      {
        type: "table",
        headerRowCount: 2,
        rows: [
          [
            { blocks: [paragraph("Region of the survey")], rowSpan: 2 },
            { blocks: [paragraph("Both of the years together")], columnSpan: 2 },
          ],
          ["Answers", "Refusals"],
          ["North", "", "few"],
        ],
      },
    ]);
  });

  test("elements part paragraphs that nothing else parts", async () => {
    const lines = ["The first of these paragraphs ends here.", "The second one begins as the first one did."];
    const content = lines.map((text, index) => textAt(index, text, [72, 700 - index * 12])).join("");
    const elements = lines.map((_, index) => ({ type: "P", marks: [index] }));
    const parted = await blocksOf(makeTaggedPdf(content, elements));
    expect(parted).toEqual(lines.map(paragraph));
  });

  test("running heads are known by their tags on a single page, and kept where they are asked for", async () => {
    const content = `${pdfMarkedText("Annual report", { x: 72, y: 760 })}${textAt(0, "What the page says.", [72, 600])}`;
    const file = makeTaggedPdf(content, [{ type: "P", marks: [0] }]);
    expect(await blocksOf(file)).toEqual([paragraph("What the page says.")]);
    expect(await blocksOf(file, "keep")).toHaveLength(2);
  });

  test("a table whose tags contradict where its cells stand is read from the page", async () => {
    const content = [
      textAt(0, "Left", [72, 700]),
      textAt(1, "Right", [250, 700]),
      textAt(2, "below", [72, 680]),
      textAt(3, "beside", [250, 680]),
    ].join("");
    const table = { type: "Table", children: [row(cell(3), cell(2)), row(cell(1), cell(0))] };
    const blocks = await blocksOf(makeTaggedPdf(content, [table]));
    expect(blocks.some(({ type }) => type === "table")).toBe(false);
    expect(JSON.stringify(blocks)).toMatch(/Left.*Right.*below.*beside/);
  });

  test("a figure stands by its alternative text, one without such a text, or with one that says nothing, by nothing", async () => {
    const drawing = "/P << /MCID 1 >> BDC 100 500 200 80 re f EMC\n/P << /MCID 3 >> BDC 100 300 200 80 re f EMC\n";
    const content = `${textAt(0, "Above the chart.", [72, 700])}${drawing}${textAt(2, "Below the chart.", [72, 450])}`;
    const elements = [
      { type: "P", marks: [0] },
      { type: "Figure", marks: [1], entries: "/Alt (Answers by year)" },
      { type: "P", marks: [2] },
      { type: "Figure", marks: [3], entries: "/Alt (Figure 2\\000)" },
    ];
    expect(await blocksOf(makeTaggedPdf(content, elements))).toEqual([
      paragraph("Above the chart."),
      { type: "image", alt: "Answers by year" },
      paragraph("Below the chart."),
    ]);
  });

  test("the lines of a figure are no table, whatever grid they make", async () => {
    const grid = [500, 520, 540].map((y) => `72 ${y} m 372 ${y} l S\n`).join("");
    const uprights = [72, 222, 372].map((x) => `${x} 500 m ${x} 540 l S\n`).join("");
    const labels = ["Nut", "Bolt", "Case", "Core"].map((text, index) =>
      textAt(index, text, [80 + (index % 2) * 150, 526 - Math.floor(index / 2) * 20]),
    );
    const file = (type: string) => makeTaggedPdf(grid + uprights + labels.join(""), [{ type, marks: [0, 1, 2, 3] }]);
    expect((await blocksOf(file("P"))).map(({ type }) => type)).toEqual(["table"]);
    expect((await blocksOf(file("Figure"))).map(({ type }) => type)).not.toContain("table");
  });
});
