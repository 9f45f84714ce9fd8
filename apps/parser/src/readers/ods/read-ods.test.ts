import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import { Budget, type DocumentLimits } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readOds } from "./read-ods.ts";

const odf = "urn:oasis:names:tc:opendocument:xmlns";
const declarations = [
  ...["office", "text", "table", "style"].map((name) => `xmlns:${name}="${odf}:${name}:1.0"`),
  `xmlns:draw="${odf}:drawing:1.0"`,
  `xmlns:xlink="http://www.w3.org/1999/xlink"`,
].join(" ");

async function read(table: string, limits: Partial<DocumentLimits> = {}) {
  const warnings: string[] = [];
  const content = `<office:document-content ${declarations}><office:body><office:spreadsheet><table:table table:name="T">${table}</table:table></office:spreadsheet></office:body></office:document-content>`;
  const { blocks } = await readOds(
    { bytes: makeZip([{ name: "content.xml", bytes: content }]), fileName: "a.ods", format: "ods" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder" },
      budget: new Budget({ ...defaultLimits, ...limits }),
      depth: 0,
      warn: (sentence) => warnings.push(sentence),
      readPart: () => Promise.reject(new Error("no parts")),
    },
  );
  return { blocks: blocks.slice(2), warnings };
}

const cell = (text: string, attributes = ""): string =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
const row = (cells: string, attributes = ""): string => `<table:table-row ${attributes}>${cells}</table:table-row>`;

describe("cells", () => {
  test("that repeat stand several times, empty ones only move what follows", async () => {
    const { blocks } = await read(
      row(`${cell("a", 'table:number-columns-repeated="2"')}<table:table-cell/>${cell("b")}`) +
        row(cell("c", 'table:number-columns-repeated="4"'), 'table:number-rows-repeated="2"'),
    );

    expect(blocks).toMatchObject([
      {
        rows: [
          ["a", "a", "", "b"],
          ["c", "c", "c", "c"],
          ["c", "c", "c", "c"],
        ],
      },
    ]);
  });

  test("show dates as ISO 8601 and everything else as the file shows it", async () => {
    const date = 'office:value-type="date" office:date-value="2024-03-01"';
    const { blocks } = await read(
      row(cell("Day") + cell("Share")) +
        row(cell("3/1/24", date) + cell("50 %", 'office:value-type="percentage" office:value="0.5"')),
    );

    expect(blocks).toMatchObject([
      {
        rows: [
          ["Day", "Share"],
          ["2024-03-01", "50 %"],
        ],
      },
    ]);
  });

  test("with shapes, tables and notes inside keep their own text apart", async () => {
    const shape = `<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>`;
    const { blocks } = await read(
      row(
        `<table:table-cell><office:annotation><text:p>note</text:p></office:annotation><text:p>own</text:p>${shape}</table:table-cell>${cell("b")}`,
      ),
    );

    expect(JSON.stringify(blocks)).toContain(`["own",{"type":"noteReference","id":"1"}]`);
    expect(blocks.slice(1)).toMatchObject([{ type: "paragraph", inlines: ["box"] }, { type: "footnote" }]);
  });
});

describe("hostile spreadsheets are bounded", () => {
  test("empty cells and rows repeated to the end of any sheet cost nothing", async () => {
    const empty = row(
      '<table:table-cell table:number-columns-repeated="2147483647"/>',
      'table:number-rows-repeated="2147483647"',
    );
    const { blocks } = await read(row(cell("a")) + empty + empty + row(cell("b")), { maxTableCells: 2 });

    expect(blocks).toMatchObject([{ inlines: ["a"] }, { inlines: ["b"] }]);
  });

  test("filled cells repeated two thousand million times name the limit", async () => {
    const flood = row(
      cell("a", 'table:number-columns-repeated="2147483647"'),
      'table:number-rows-repeated="2147483647"',
    );

    await expect(read(flood, { maxTableCells: 100_000 })).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  });

  test("spans of two thousand million cover only what is filled", async () => {
    const spans = 'table:number-columns-spanned="2147483647" table:number-rows-spanned="2147483647"';
    const { blocks } = await read(
      row(cell("a", spans) + "<table:covered-table-cell/>") + row(`<table:covered-table-cell/>${cell("b")}`),
      { maxTableCells: 10 },
    );

    expect(JSON.stringify(blocks)).toContain('"a"');
  });

  test("hidden rows without number name no cells", async () => {
    const { warnings } = await read(
      row(cell("a")) +
        row("<table:table-cell/>", 'table:visibility="collapse" table:number-rows-repeated="2147483647"'),
    );

    expect(warnings).toEqual([]);
  });
});
