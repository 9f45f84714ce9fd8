import { type DocxParts, makeDocx } from "@attune/testkit/make-ooxml.ts";
import { describe, expect, test } from "vitest";
import type { Block } from "../../document/document.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import type { ReadOptions } from "../reader.ts";

const plain: ReadOptions = { pages: [], headersFooters: "drop", images: "placeholder" };

async function read(parts: DocxParts, options: Partial<ReadOptions> = {}) {
  const input = { bytes: makeDocx(parts), fileName: "a.docx", format: "docx" };
  const { document, warnings } = await readSource(input, { ...plain, ...options }, new Budget(defaultLimits));
  return { blocks: document.blocks, warnings };
}

async function readBlocks(body: string, parts: Record<string, string> = {}): Promise<readonly Block[]> {
  return (await read({ body, parts })).blocks;
}

const p = (text: string, properties = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
const run = (text: string, properties = ""): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const styled = (text: string, style: string): string => p(text, `<w:pStyle w:val="${style}"/>`);
const numbered = (text: string, level: number, id = 1): string =>
  p(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${id}"/></w:numPr>`);
const level = (index: number, format: string, text: string): string =>
  `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
const headingLevel = (index: number, text: string): string =>
  level(index, "decimal", text).replace("</w:lvl>", `<w:pStyle w:val="H${index + 1}"/></w:lvl>`);
const numbering =
  `<w:abstractNum w:abstractNumId="0">${level(0, "decimal", "%1.")}${level(1, "bullet", "o")}</w:abstractNum>` +
  `<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>` +
  `<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>`;
const paragraph = (text: string): Block => ({ type: "paragraph", inlines: [text] });

describe("headings", () => {
  test("built-in names count whatever the id says", async () => {
    const styles = `<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>`;

    expect(await readBlocks(styled("Titel", "berschrift2"), { styles })).toEqual([
      { type: "heading", level: 2, inlines: ["Titel"] },
    ]);
  });

  test("a style derived from a heading is one, until it resets its outline level", async () => {
    const styles =
      `<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 3"/></w:style>` +
      `<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Chapter"/><w:basedOn w:val="H"/></w:style>` +
      `<w:style w:type="paragraph" w:styleId="Text"><w:name w:val="Run-in"/><w:basedOn w:val="H"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>`;

    expect(await readBlocks(styled("One", "Own") + styled("two", "Text"), { styles })).toEqual([
      { type: "heading", level: 3, inlines: ["One"] },
      paragraph("two"),
    ]);
  });

  test("the number of a numbered heading stands before it", async () => {
    const numberingOfHeadings =
      `<w:abstractNum w:abstractNumId="0">${headingLevel(0, "%1.")}${headingLevel(1, "%1.%2.")}</w:abstractNum>` +
      `<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
    const style = (index: number): string =>
      `<w:style w:type="paragraph" w:styleId="H${index}"><w:name w:val="heading ${index}"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`;
    const body = styled("A", "H1") + styled("B", "H2") + styled("C", "H2") + styled("D", "H1");

    const blocks = await readBlocks(body, { styles: style(1) + style(2), numbering: numberingOfHeadings });

    expect(blocks.map((block) => ("inlines" in block ? block.inlines[0] : ""))).toEqual([
      "1 A",
      "1.1 B",
      "1.2 C",
      "2 D",
    ]);
  });
});

describe("lists", () => {
  test("levels nest, and an interrupted list goes on with its number", async () => {
    const body = numbered("one", 0) + numbered("inner", 1) + numbered("two", 0) + p("between") + numbered("three", 0);

    expect(await readBlocks(body, { numbering })).toEqual([
      {
        type: "list",
        ordered: true,
        items: [
          { blocks: [paragraph("one"), { type: "list", ordered: false, items: [{ blocks: [paragraph("inner")] }] }] },
          { blocks: [paragraph("two")] },
        ],
      },
      paragraph("between"),
      { type: "list", ordered: true, start: 3, items: [{ blocks: [paragraph("three")] }] },
    ]);
  });

  test("a start override restarts the numbers", async () => {
    const blocks = await readBlocks(numbered("one", 0) + numbered("seven", 0, 2), { numbering });

    expect(blocks[1]).toMatchObject({ type: "list", start: 7 });
  });
});

describe("text", () => {
  test("formats come from runs and styles, take in no spaces at their ends, and merge", async () => {
    const styles = `<w:style w:type="character" w:styleId="S"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>`;
    const body = `<w:p>${run("a ")}${run("b ", "<w:b/>")}${run("c", '<w:rStyle w:val="S"/>')}${run("2", '<w:vertAlign w:val="superscript"/>')}</w:p>`;

    expect(await readBlocks(body, { styles })).toEqual([
      {
        type: "paragraph",
        inlines: ["a ", { type: "strong", inlines: ["b c"] }, { type: "superscript", inlines: ["2"] }],
      },
    ]);
  });

  test("hidden text is left out and told", async () => {
    const { blocks, warnings } = await read({ body: `<w:p>${run("seen")}${run("secret", "<w:vanish/>")}</w:p>` });

    expect(blocks).toEqual([paragraph("seen")]);
    expect(warnings).toEqual(["Hidden text was left out (1 piece)."]);
  });

  test("insertions stay, deletions go and are told", async () => {
    const { blocks, warnings } = await read({
      body: `<w:p>${run("a")}<w:ins>${run("b")}</w:ins><w:del><w:r><w:delText>c</w:delText></w:r></w:del></w:p>`,
    });

    expect(blocks).toEqual([paragraph("ab")]);
    expect(warnings.join()).toContain("1 deletion");
  });

  test("a field shows its result once, as a link when it is a hyperlink", async () => {
    const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const body = `<w:p>${field("begin")}<w:r><w:instrText>HYPERLINK "https://example.org/a"</w:instrText></w:r>${field("separate")}${run("here")}${field("end")}${run(" on")}</w:p>`;

    expect(await readBlocks(body)).toEqual([
      { type: "paragraph", inlines: [{ type: "link", target: "https://example.org/a", inlines: ["here"] }, " on"] },
    ]);
  });

  test("fields that a converter filled with its own time and place are left out and told", async () => {
    const field = (instruction: string): string => `<w:fldSimple w:instr="${instruction}">${run("x")}</w:fldSimple>`;
    const body = `<w:p>${field("DATE \\@ d")}${run("a")}${field("filename")}${field("REF b")}${field("TIME")}</w:p>`;

    const { blocks, warnings } = await read({ body }, { conversionFields: "drop" });
    expect(blocks).toEqual([paragraph("ax")]);
    expect(warnings).toEqual([expect.stringContaining("converted were left out (3)")]);
    expect(await readBlocks(body)).toEqual([paragraph("xaxxx")]);
  });

  test("a field that never ends takes only its own paragraph with it", async () => {
    const body = `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>${run("lost")}</w:p>${p("kept")}`;

    expect(await readBlocks(body)).toEqual([paragraph("kept")]);
  });

  test("symbols of symbol fonts become Unicode", async () => {
    const body = `<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r><w:r><w:sym w:font="Symbol" w:char="F061"/></w:r></w:p>`;

    expect(await readBlocks(body)).toEqual([paragraph("✓α")]);
  });

  test("a text box is read once, from the choice or from its fallback", async () => {
    const box = (text: string): string => `<w:txbxContent>${p(text)}</w:txbxContent>`;
    const choice = `<mc:Choice Requires="wps"><w:drawing><wp:inline><a:graphic><a:graphicData><wps:wsp><wps:txbx>${box("boxed")}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>`;
    const fallback = `<mc:Fallback><w:pict><v:shape><v:textbox>${box("boxed")}</v:textbox></v:shape></w:pict></mc:Fallback>`;
    const body = `<w:p>${run("before")}<w:r><mc:AlternateContent>${choice}${fallback}</mc:AlternateContent></w:r></w:p>`;

    expect(await readBlocks(body)).toEqual([paragraph("before"), paragraph("boxed")]);
  });

  test("notes are numbered as they are referred to, and comments are told", async () => {
    const { blocks, warnings } = await read({
      body: `<w:p>${run("word")}<w:r><w:footnoteReference w:id="5"/></w:r><w:r><w:commentReference w:id="1"/></w:r></w:p>`,
      parts: { footnotes: `<w:footnote w:id="5">${p("the note")}</w:footnote>` },
    });

    expect(blocks).toEqual([
      { type: "paragraph", inlines: ["word", { type: "noteReference", id: "1" }] },
      { type: "footnote", id: "1", blocks: [paragraph("the note")] },
    ]);
    expect(warnings).toEqual(["Comments were left out (1)."]);
  });

  test("adjacent paragraphs of code are one block", async () => {
    const styles = `<w:style w:type="paragraph" w:styleId="C"><w:name w:val="Source Code"/></w:style>`;
    const body = styled("if x:", "C") + styled("    y()", "C") + p("prose");

    expect(await readBlocks(body, { styles })).toEqual([{ type: "code", text: "if x:\n    y()" }, paragraph("prose")]);
  });

  test("running heads are read only when asked for", async () => {
    const parts = {
      body: `${p("body")}<w:sectPr><w:headerReference r:id="part-hdr"/></w:sectPr>`,
      parts: { hdr: p("running head") },
    };

    expect((await read(parts)).blocks).toEqual([paragraph("body")]);
    expect((await read(parts, { headersFooters: "keep" })).blocks).toEqual([
      paragraph("running head"),
      paragraph("body"),
    ]);
  });
});

describe("tables", () => {
  const cell = (text: string, properties = ""): string => `<w:tc><w:tcPr>${properties}</w:tcPr>${p(text)}</w:tc>`;
  const row = (...cells: string[]): string => `<w:tr>${cells.join("")}</w:tr>`;

  test("spans are joined and covered places have no cell", async () => {
    const body = `<w:tbl>${row(cell("a", '<w:gridSpan w:val="2"/>'), cell("b", '<w:vMerge w:val="restart"/>'))}${row(cell("c"), cell("d"), cell("", "<w:vMerge/>"))}</w:tbl>`;

    expect(await readBlocks(body)).toEqual([
      {
        type: "table",
        headerRowCount: 0,
        rows: [
          [
            { blocks: [paragraph("a")], columnSpan: 2 },
            { blocks: [paragraph("b")], rowSpan: 2 },
          ],
          ["c", "d"],
        ],
      },
    ]);
  });

  test("rows and cells inside content controls are read", async () => {
    const wrap = (content: string): string => `<w:sdt><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
    const body = `<w:tbl>${row(cell("a"), wrap(cell("b")))}${wrap(row(cell("c"), cell("d")))}</w:tbl>`;

    expect(await readBlocks(body)).toMatchObject([
      {
        rows: [
          ["a", "b"],
          ["c", "d"],
        ],
      },
    ]);
  });

  test("a table of one cell is a frame around its content", async () => {
    expect(await readBlocks(`<w:tbl>${row(cell("framed"))}</w:tbl>`)).toEqual([paragraph("framed")]);
  });
});
