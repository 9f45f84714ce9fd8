import { type DocxParts, makeDocx } from "@attune/testkit/make-ooxml.ts";
import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

async function readBytes(bytes: Uint8Array, limits: Partial<typeof defaultLimits> = {}) {
  return readSource(
    { bytes, fileName: "a.docx", format: "docx" },
    { pages: [], headersFooters: "keep", images: "data_uri" },
    new Budget({ ...defaultLimits, ...limits }),
  );
}

const read = (parts: DocxParts, limits: Partial<typeof defaultLimits> = {}) => readBytes(makeDocx(parts), limits);

const p = (text: string, properties = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const cell = (properties = ""): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${p("x")}</w:tc>`;

describe("tables made to exhaust", () => {
  test("a span of two thousand million columns is no wider than a table may be", async () => {
    const { document } = await read({
      body: `<w:tbl><w:tr>${cell('<w:gridSpan w:val="2000000000"/>')}${cell()}</w:tr></w:tbl>`,
    });

    expect(document.blocks).toMatchObject([{ rows: [[{ columnSpan: 1024 }, "x"]] }]);
  });

  test("covered places count as cells", async () => {
    const rows = `<w:tr>${cell('<w:gridSpan w:val="1000"/>')}</w:tr>`.repeat(200);

    await expect(read({ body: `<w:tbl>${rows}</w:tbl>` }, { maxTableCells: 100_000 })).rejects.toMatchObject({
      reason: "LIMIT_EXCEEDED",
    });
  });

  test("columns left free before a row count as cells", async () => {
    const row = `<w:tr><w:trPr><w:gridBefore w:val="2000000000"/></w:trPr>${cell()}</w:tr>`;

    await expect(read({ body: `<w:tbl>${row.repeat(200)}</w:tbl>` }, { maxTableCells: 100_000 })).rejects.toMatchObject(
      {
        reason: "LIMIT_EXCEEDED",
      },
    );
  });

  test("merges that continue nothing are cells of their own, and a flood of them ends", async () => {
    const rows = `<w:tr>${cell("<w:vMerge/>")}${cell("<w:vMerge/>")}</w:tr>`.repeat(20_000);

    const { document, warnings } = await read({ body: `<w:tbl>${rows}</w:tbl>` });

    const [table] = document.blocks;
    expect(table?.type === "table" && table.rows.length).toBe(20_000);
    expect(table).toHaveProperty("rows.0", [
      expect.objectContaining({ rowSpan: 20_000 }),
      expect.objectContaining({ rowSpan: 20_000 }),
    ]);
    expect(warnings).toEqual(["Hidden text was left out (39998 pieces)."]);
  });

  test("three thousand tables inside one another are refused", async () => {
    const body = `${"<w:tbl><w:tr><w:tc>".repeat(3000)}${p("x")}${"</w:tc></w:tr></w:tbl>".repeat(3000)}`;

    await expect(read({ body })).rejects.toMatchObject({ reason: "MARKUP_REFUSED" });
  });
});

describe("definitions that go in circles", () => {
  test("styles based on each other end", async () => {
    const style = (id: string, parent: string): string =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/><w:basedOn w:val="${parent}"/></w:style>`;
    const { document } = await read({
      body: p("text", '<w:pStyle w:val="a"/>'),
      parts: { styles: style("a", "b") + style("b", "a") + style("__proto__", "constructor") },
    });

    expect(document.blocks).toEqual([{ type: "paragraph", inlines: ["text"] }]);
  });

  test("numberings that link to each other's style end", async () => {
    const abstract = (id: number, link: string, own: string): string =>
      `<w:abstractNum w:abstractNumId="${id}"><w:styleLink w:val="${own}"/><w:numStyleLink w:val="${link}"/></w:abstractNum>`;
    const { document } = await read({
      body: p("item", '<w:numPr><w:ilvl w:val="99999999999"/><w:numId w:val="1"/></w:numPr>'),
      parts: {
        numbering: `${abstract(0, "b", "a")}${abstract(1, "a", "b")}<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
      },
    });

    expect(document.blocks).toEqual([{ type: "paragraph", inlines: ["item"] }]);
  });

  test("a note that refers to itself is read once", async () => {
    const reference = `<w:r><w:footnoteReference w:id="1"/></w:r>`;
    const { document } = await read({
      body: `<w:p>${reference}</w:p>`,
      parts: { footnotes: `<w:footnote w:id="1"><w:p><w:r><w:t>note</w:t></w:r>${reference}</w:p></w:footnote>` },
    });

    expect(document.blocks.filter(({ type }) => type === "footnote")).toHaveLength(1);
  });
});

describe("references out of the file", () => {
  test("nothing outside is fetched, and local addresses are not repeated", async () => {
    const picture = (id: string): string =>
      `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="${id}"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:link="${id}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>`;
    const external = (id: string, target: string) => ({ id, kind: "image", target, isExternal: true });
    const { document } = await read({
      body: `<w:p>${picture("a")}${picture("b")}${picture("c")}</w:p>`,
      links: [
        external("a", "file:///etc/passwd"),
        external("b", "\\\\host\\share\\a.png"),
        external("c", "http://169.254.169.254/latest"),
        { id: "t", kind: "attachedTemplate", target: "http://127.0.0.1:1/template.dotm", isExternal: true },
        { id: "h", kind: "aFChunk", target: "http://127.0.0.1:1/chunk.html", isExternal: true },
      ],
    });

    expect(document.blocks).toEqual([
      { type: "image", alt: "a" },
      { type: "image", alt: "b" },
      { type: "image", alt: "c", reference: "http://169.254.169.254/latest" },
    ]);
  });

  test("a document type declaration is refused in the main part and told in others", async () => {
    const doctype = `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>`;

    await expect(read({ body: "", mainPart: `${doctype}<w:document>&e;</w:document>` })).rejects.toMatchObject({
      reason: "MARKUP_REFUSED",
    });
    const { document, warnings } = await read({
      body: p("text"),
      links: [{ id: "s", kind: "styles", target: "evil.xml" }],
      members: { "word/evil.xml": `${doctype}<w:styles/>` },
    });
    expect(document.blocks).toEqual([{ type: "paragraph", inlines: ["text"] }]);
    expect(warnings.join()).toContain("word/evil.xml is damaged");
  });
});

describe("damage", () => {
  test.each([
    ["the main part ends early", { body: "", mainPart: "<w:document><w:body><w:p>" }],
    ["the main part has no body", { body: "", mainPart: "<html/>" }],
  ])("%s: the document is corrupt", async (_, parts) => {
    await expect(read(parts)).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });

  test("a package without a document is corrupt", async () => {
    await expect(readBytes(makeZip([{ name: "word/other.xml", bytes: "<a/>" }]))).rejects.toMatchObject({
      reason: "DOCUMENT_CORRUPT",
    });
  });

  test("missing and broken side parts are told and left out", async () => {
    const { document, warnings } = await read({
      body: `${p("text")}<w:p><w:r><w:footnoteReference w:id="9"/></w:r></w:p>`,
      links: [
        { id: "n", kind: "numbering", target: "missing.xml" },
        { id: "s", kind: "styles", target: "broken.xml" },
      ],
      members: { "word/broken.xml": "<w:styles><w:style>" },
    });

    expect(document.blocks[0]).toEqual({ type: "paragraph", inlines: ["text"] });
    expect(warnings).toHaveLength(3);
  });
});

describe("floods", () => {
  test("a million empty paragraphs in a small file are read in the time they deserve", async () => {
    const bytes = makeDocx({ body: "<w:p/>".repeat(1_000_000) + p("end") });

    expect(bytes.length).toBeLessThan(100_000);
    const { document } = await readBytes(bytes);
    expect(document.blocks).toEqual([{ type: "paragraph", inlines: ["end"] }]);
  }, 30_000);

  test("labels, fields and white space made to repeat their length are read in the time they deserve", async () => {
    const label = `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1${"y".repeat(500_000)}"/></w:lvl>`;
    const item = p("x", '<w:outlineLvl w:val="0"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>');
    const field = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>`;
    const spaces = `<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>${" ".repeat(1_000_000)}x${" ".repeat(1_000_000)}y</w:t></w:r></w:p>`;
    const math = `<w:p><m:oMath><m:r><m:t>${"πr".repeat(200_000)}</m:t></m:r></m:oMath></w:p>`;
    const { document } = await read({
      body: item.repeat(10_000) + spaces + math + `<w:p>${field.repeat(50_000)}<w:r><w:t>shown</w:t></w:r></w:p>`,
      parts: {
        numbering: `<w:abstractNum w:abstractNumId="0">${label}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
      },
    });

    expect(document.blocks).toHaveLength(10_003);
    expect(JSON.stringify(document.blocks[0]).length).toBeLessThan(300);
    expect(document.blocks.at(-1)).toEqual({ type: "paragraph", inlines: ["shown"] });
  }, 30_000);

  test("a chunk that is called for again and again is read once", async () => {
    const { document } = await read({
      body: '<w:altChunk r:id="c"/>'.repeat(10_000),
      links: [{ id: "c", kind: "aFChunk", target: "chunk.txt" }],
      members: { "word/chunk.txt": "once" },
    });

    expect(document.blocks).toEqual([{ type: "paragraph", inlines: ["once"] }]);
  });

  test("more blocks than allowed are refused", async () => {
    await expect(read({ body: p("x").repeat(2_000) }, { maxBlocks: 1_000 })).rejects.toMatchObject({
      reason: "LIMIT_EXCEEDED",
    });
  });

  test("a bomb in the main part is refused before it is expanded", async () => {
    await expect(read({ body: p("x".repeat(4 << 20)) }, { maxEntryBytes: 1 << 20 })).rejects.toMatchObject({
      reason: "LIMIT_EXCEEDED",
    });
  });

  test("formulas inside one another beyond measure are given as text, not as a crash", async () => {
    const depth = 110;
    const math = `${"<m:rad><m:e>".repeat(depth)}<m:r><m:t>x</m:t></m:r>${"</m:e></m:rad>".repeat(depth)}`;
    const { document } = await read({ body: `<w:p><m:oMath>${math}</m:oMath></w:p>` });

    expect(JSON.stringify(document.blocks)).toContain("x");
  });
});
