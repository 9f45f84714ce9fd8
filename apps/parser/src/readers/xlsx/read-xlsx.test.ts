import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import type { Block, Document } from "../../document/document.ts";
import { Budget, type DocumentLimits } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { ReadOptions } from "../reader.ts";
import { readXlsx } from "./read-xlsx.ts";

const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

interface Parts {
  /** Whole sheet parts. */
  readonly sheets: readonly string[];
  readonly members?: Readonly<Record<string, string>>;
  readonly workbook?: string;
}

function makeXlsx({ sheets, members = {}, workbook }: Parts): Buffer {
  const list = sheets.map((_, at) => `<sheet name="S${at + 1}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join("");
  const links = sheets.map(
    (_, at) => `<Relationship Id="rId${at + 1}" Type="${office}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  const parts: Record<string, string> = {
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": workbook ?? `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${list}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${links.join("")}</Relationships>`,
    ...members,
  };
  sheets.forEach((sheet, at) => {
    parts[`xl/worksheets/sheet${at + 1}.xml`] = sheet;
  });
  return makeZip(Object.entries(parts).map(([name, bytes]) => ({ name, bytes })));
}

const sheetOf = (data: string, rest = ""): string =>
  `<worksheet xmlns="${main}" xmlns:r="${office}"><sheetData>${data}</sheetData>${rest}</worksheet>`;

const text = (reference: string, words: string): string =>
  `<c r="${reference}" t="inlineStr"><is><t>${words}</t></is></c>`;

interface Read {
  readonly document: Document;
  readonly warnings: readonly string[];
}

async function read(
  bytes: Uint8Array,
  options: Partial<ReadOptions> = {},
  limits: Partial<DocumentLimits> = {},
): Promise<Read> {
  const warnings: string[] = [];
  const document = await readXlsx(
    { bytes, fileName: "a.xlsx", format: "xlsx" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder", ...options },
      budget: new Budget({ ...defaultLimits, ...limits }),
      depth: 0,
      warn: (sentence) => warnings.push(sentence),
      readPart: () => Promise.reject(new Error("no parts")),
    },
  );
  return { document, warnings };
}

function tableRows(blocks: readonly Block[]): unknown[] {
  return blocks.flatMap((block) => (block.type === "table" ? block.rows : []));
}

describe("odd XML is read like common XML", () => {
  const common = `<row r="1"><c r="A1" t="str"><v>a &amp; b</v></c>${text("B1", "x")}</row><row r="2"><c r="A2"><v>1.0</v></c><c r="B2" t="b"><v>0</v></c></row>`;
  const expected = [
    ["a & b", "x"],
    ["1", "FALSE"],
  ];

  test.each([
    ["common", sheetOf(common)],
    [
      "prefixed",
      sheetOf(common)
        .replaceAll(/<(\/?)(\w)/g, "<$1p:$2")
        .replace("xmlns=", "xmlns:p="),
    ],
    ["with comments", sheetOf(common.replaceAll("<c ", "<!-- a cell --><c "))],
    ["with CDATA", sheetOf(common.replace("a &amp; b", "<![CDATA[a & b]]>"))],
    ["in single quotes", sheetOf(common.replaceAll('"', "'"))],
    ["on lines of its own", sheetOf(common.replaceAll("><", ">\n  <"))],
    ["without references", sheetOf(common.replaceAll(/ r="\w+"/g, ""))],
    ["with namespaces of Strict", sheetOf(common).replaceAll(main, "http://purl.oclc.org/ooxml/spreadsheetml/main")],
    ["in UTF-16", sheetOf(common)],
  ])("%s", async (name, sheet) => {
    const bytes = name === "in UTF-16" ? Buffer.from(`\uFEFF${sheet}`, "utf16le").toString("latin1") : sheet;
    const file = makeXlsx({ sheets: [bytes] });
    const { document } = await read(name === "in UTF-16" ? makeUtf16(sheet) : file);

    expect(tableRows(document.blocks)).toEqual(expected);
  });

  function makeUtf16(sheet: string): Buffer {
    const parts = {
      "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    };
    return makeZip([
      ...Object.entries(parts).map(([name, bytes]) => ({ name, bytes })),
      { name: "xl/worksheets/sheet1.xml", bytes: Buffer.from(`\uFEFF${sheet}`, "utf16le") },
    ]);
  }
});

describe("what is lost is told", () => {
  test("a shared string that does not exist", async () => {
    const { warnings } = await read(
      makeXlsx({ sheets: [sheetOf(`<row r="1"><c r="A1" t="s"><v>4294967295</v></c>${text("B1", "x")}</row>`)] }),
    );

    expect(warnings.join()).toContain("1 cells name texts that the file does not have");
  });

  test("formulas without a stored result", async () => {
    const { warnings } = await read(
      makeXlsx({ sheets: [sheetOf(`<row r="1">${text("A1", "x")}<c r="B1"><f>A1*2</f></c></row>`)] }),
    );

    expect(warnings.join()).toContain("1 formulas have no stored result");
  });

  test("a damaged sheet beside a good one", async () => {
    const { document, warnings } = await read(
      makeXlsx({ sheets: [sheetOf(`<row r="1">${text("A1", "good")}</row>`), "<worksheet><sheetData><row>"] }),
    );

    expect(document.blocks.map(({ type }) => type)).toEqual(["pageBreak", "heading", "paragraph"]);
    expect(warnings.join()).toContain("xl/worksheets/sheet2.xml is damaged");
  });

  test("hidden sheets, unless they are asked for", async () => {
    const workbook = `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="V" sheetId="1" r:id="rId1"/><sheet name="H" sheetId="2" state="veryHidden" r:id="rId2"/></sheets></workbook>`;
    const file = makeXlsx({
      sheets: [sheetOf(`<row>${text("A1", "seen")}</row>`), sheetOf(`<row>${text("A1", "hidden")}</row>`)],
      workbook,
    });

    const shown = await read(file);
    const asked = await read(file, { pages: [{ first: 2, last: 2 }] });

    expect(JSON.stringify(shown.document.blocks)).not.toContain("hidden");
    expect(shown.warnings.join()).toContain("“H” (2)");
    expect(JSON.stringify(asked.document.blocks)).toContain("hidden");
  });
});

describe("refusals say why", () => {
  test("sheets that do not exist", async () => {
    const file = makeXlsx({ sheets: [sheetOf("")] });

    await expect(read(file, { pages: [{ first: 2, last: 9 }] })).rejects.toMatchObject({ reason: "PAGES_INVALID" });
  });

  test("no sheet that can be read", async () => {
    await expect(read(makeXlsx({ sheets: ["<worksheet"] }))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });

  test("no workbook part", async () => {
    await expect(read(makeZip([{ name: "xl/other.xml", bytes: "<a/>" }]))).rejects.toMatchObject({
      reason: "DOCUMENT_CORRUPT",
    });
  });

  test("an encrypted package without and with a password", async () => {
    const compound = Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), Buffer.alloc(512)]);

    await expect(read(compound)).rejects.toMatchObject({ reason: "PASSWORD_REQUIRED" });
    await expect(read(compound, { password: "x" })).rejects.toMatchObject({ reason: "ENCRYPTION_UNSUPPORTED" });
  });
});

describe("hostile workbooks are bounded", () => {
  test("a dimension that lies allocates nothing", async () => {
    const sheet = sheetOf(`<row r="1048576">${text("XFD1048576", "corner")}</row>`).replace(
      "<sheetData>",
      '<dimension ref="A1:XFD1048576"/><sheetData>',
    );
    const { document } = await read(makeXlsx({ sheets: [sheet] }), {}, { maxTableCells: 1 });

    expect(document.blocks.at(-1)).toMatchObject({ type: "paragraph", inlines: ["corner"] });
  });

  test("too many cells name the limit", async () => {
    const rows = `<row>${"<c><v>1</v></c>".repeat(1000)}</row>`.repeat(100);

    await expect(read(makeXlsx({ sheets: [sheetOf(rows)] }), {}, { maxTableCells: 10_000 })).rejects.toMatchObject({
      reason: "LIMIT_EXCEEDED",
    });
  });

  test("one long string named by all cells is too much text", async () => {
    const members = {
      "xl/sharedStrings.xml": `<sst xmlns="${main}"><si><t>${"x".repeat(1 << 20)}</t></si></sst>`,
    };
    const rows = `<row>${'<c t="s"><v>0</v></c>'.repeat(100)}</row>`.repeat(10);

    await expect(read(makeXlsx({ sheets: [sheetOf(rows)], members }))).rejects.toMatchObject({
      reason: "OUTPUT_TOO_LARGE",
    });
  });

  test("a sheet that expands beyond the budget names the limit", async () => {
    const bomb = sheetOf(" ".repeat(8 << 20));

    await expect(
      read(makeXlsx({ sheets: [bomb] }), {}, { maxEntryBytes: 1 << 20, maxExpandedBytes: 4 << 20 }),
    ).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  });

  test("a document type declaration in the only sheet is refused", async () => {
    const sheet = `<!DOCTYPE a [<!ENTITY b "c">]>${sheetOf(`<row>${text("A1", "&b;")}</row>`)}`;

    await expect(read(makeXlsx({ sheets: [sheet] }))).rejects.toMatchObject({ reason: "MARKUP_REFUSED" });
  });

  test("a million merges of one cell end", async () => {
    const merges = `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(50_000)}</mergeCells>`;
    const { document } = await read(
      makeXlsx({ sheets: [sheetOf(`<row r="1">${text("A1", "a")}${text("B1", "b")}</row>`, merges)] }),
    );

    expect(document.blocks).toHaveLength(3);
  });

  test("a link over all columns and rows is no link", async () => {
    const links = `<hyperlinks><hyperlink ref="A1:XFD1048576" r:id="rId1"/></hyperlinks>`;
    const members = {
      "xl/worksheets/_rels/sheet1.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/hyperlink" Target="https://a.example/" TargetMode="External"/></Relationships>`,
    };
    const { document } = await read(
      makeXlsx({ sheets: [sheetOf(`<row r="1">${text("A1", "a")}</row>`, links)], members }),
    );

    expect(document.blocks.at(-1)).toMatchObject({ inlines: ["a"] });
  });

  test("targets that programs would run are no links", async () => {
    const links = `<hyperlinks><hyperlink ref="A1" r:id="rId1"/></hyperlinks>`;
    const members = {
      "xl/worksheets/_rels/sheet1.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/hyperlink" Target="javascript:alert(1)" TargetMode="External"/></Relationships>`,
    };
    const { document } = await read(
      makeXlsx({ sheets: [sheetOf(`<row r="1">${text("A1", "a")}</row>`, links)], members }),
    );

    expect(JSON.stringify(document)).not.toContain("javascript");
  });
});
