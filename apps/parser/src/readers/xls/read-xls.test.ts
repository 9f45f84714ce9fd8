import { read as readBook, utils, write } from "@e965/xlsx";
import { describe, expect, test } from "vitest";
import { createProbe } from "../../detection/create-probe.ts";
import { detectFormat } from "../../detection/detect-format.ts";
import * as formatModules from "../../formats.ts";
import { Budget, type DocumentLimits } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readShapeTexts } from "../../spreadsheet/binary/shape-texts.ts";
import { readXls } from "./read-xls.ts";

type Rows = readonly (readonly unknown[])[];

function makeXls(rows: Rows, bookType: "biff2" | "biff5" | "biff8" | "xlml" = "biff8"): Buffer {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows as unknown[][]), "Sheet1");
  return write(book, { type: "buffer", bookType }) as Buffer;
}

async function read(bytes: Uint8Array, limits: Partial<DocumentLimits> = {}) {
  const warnings: string[] = [];
  const document = await readXls(
    { bytes, fileName: "a.xls", format: "xls" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder" },
      budget: new Budget({ ...defaultLimits, ...limits }),
      depth: 0,
      warn: (sentence) => warnings.push(sentence),
      readPart: () => Promise.reject(new Error("no parts")),
    },
  );
  return { blocks: document.blocks, warnings };
}

function detect(content: Uint8Array | string, fileName = "a.xls"): string | undefined {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return detectFormat(createProbe(bytes), { fileName }, Object.values(formatModules))?.format.name;
}

const rows: Rows = [
  ["name", "value"],
  ["a", 1.5],
];

describe("files named .xls are what their bytes are", () => {
  test.each([
    ["BIFF8", makeXls(rows), "xls"],
    ["BIFF5", makeXls(rows, "biff5"), "xls"],
    ["BIFF2 without a compound file", makeXls(rows, "biff2"), "xls"],
    ["XML of 2003", makeXls(rows, "xlml"), "xml-spreadsheet"],
    ["HTML", "<html><body><table><tr><td>a</td></tr></table></body></html>", "html"],
    ["tab-separated text", "a\tb\tc\n1\t2\t3\n4\t5\t6\n", "tsv"],
  ])("%s", (_, bytes, format) => {
    expect(detect(bytes)).toBe(format);
  });
});

describe("all ages of the format have the same cells", () => {
  test.each(["biff2", "biff5", "biff8", "xlml"] as const)("%s", async (bookType) => {
    const { blocks } = await read(makeXls(rows, bookType));

    expect(blocks.at(-1)).toMatchObject({
      type: "table",
      rows: [
        ["name", "value"],
        ["a", "1.5"],
      ],
    });
  });
});

describe("what cannot be read is told", () => {
  test("a workbook with nothing in it", async () => {
    expect((await read(makeXls([[]]))).warnings).toEqual(["No sheet that was read has anything in it."]);
  });

  test("a file cut short", async () => {
    const bytes = makeXls(rows);

    await expect(read(bytes.subarray(0, 600))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });

  test("more cells than allowed", async () => {
    await expect(read(makeXls(rows), { maxTableCells: 3 })).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  });
});

describe("texts of shapes", () => {
  test("are none in bytes that are no compound file, or in damaged ones", async () => {
    const bytes = makeXls(rows);

    for (const damaged of [
      Buffer.alloc(0),
      Buffer.from("PK"),
      bytes.subarray(0, 700),
      Buffer.concat([bytes.subarray(0, 512), Buffer.alloc(4096, 0xff)]),
    ])
      expect([...(await readShapeTexts(damaged))]).toEqual([]);
  });

  test("are none in a workbook without shapes", async () => {
    const bytes = makeXls(rows);

    expect(readBook(bytes).SheetNames).toEqual(["Sheet1"]);
    expect([...(await readShapeTexts(bytes))]).toEqual([]);
  });
});
