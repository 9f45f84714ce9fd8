import { type DocxParts, makeDocx, root } from "@attune/testkit/make-ooxml.ts";
import { describe, expect, test } from "vitest";
import type { Block } from "../../document/document.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import type { ReadOptions } from "../reader.ts";

async function read(parts: DocxParts, options: Partial<ReadOptions> = {}) {
  const { document, warnings } = await readSource(
    { bytes: makeDocx(parts), fileName: "a.docx", format: "docx" },
    { pages: [], headersFooters: "drop", images: "placeholder", ...options },
    new Budget(defaultLimits),
  );
  return { blocks: document.blocks, warnings };
}

async function readBlocks(body: string, parts: Record<string, string> = {}): Promise<readonly Block[]> {
  return (await read({ body, parts })).blocks;
}

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (text: string, properties = ""): string => `<w:p><w:pPr>${properties}</w:pPr>${run(text)}</w:p>`;
const paragraph = (text: string): Block => ({ type: "paragraph", inlines: [text] });

describe("wrappers", () => {
  test("text in wrappers that are not known is read", async () => {
    const body = `<w:smartTag>${p("a")}</w:smartTag><w:unheardOf><w:more>${p("b")}</w:more></w:unheardOf><w:p><w:unheardOf>${run("c")}</w:unheardOf></w:p>`;

    expect(await readBlocks(body)).toEqual([paragraph("a"), paragraph("b"), paragraph("c")]);
  });

  test("whole paragraphs deleted or moved away are left out and counted", async () => {
    const { blocks, warnings } = await read({
      body: `<w:moveFrom>${p("a")}</w:moveFrom><w:moveTo>${p("b")}</w:moveTo><w:del>${p("c")}</w:del><w:del/>`,
    });

    expect(blocks).toEqual([paragraph("b")]);
    expect(warnings).toEqual(["Text deleted under change tracking was left out (2 deletions)."]);
  });
});

describe("content from elsewhere in the package", () => {
  test("a chunk in another format stands where its mark is", async () => {
    const { blocks } = await read({
      body: `${p("before")}<w:altChunk r:id="c"/>${p("after")}`,
      links: [{ id: "c", kind: "aFChunk", target: "chunk.txt" }],
      members: { "word/chunk.txt": "from a text file" },
    });

    expect(blocks).toEqual([paragraph("before"), paragraph("from a text file"), paragraph("after")]);
  });

  test("a chart is the table of its values, a diagram the list of its texts", async () => {
    const frame = (content: string): string =>
      `<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
    const point = (text: string): string => `<c:pt idx="0"><c:v>${text}</c:v></c:pt>`;
    const title = (text: string): string =>
      `<c:title><c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
    const series = `<c:ser><c:tx><c:strRef><c:strCache>${point("Tons")}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${point("May")}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${point("7")}</c:numCache></c:numRef></c:val></c:ser>`;
    const { blocks } = await read({
      body: frame('<c:chart r:id="c"/>') + frame('<dgm:relIds r:dm="d"/>'),
      links: [
        { id: "c", kind: "chart", target: "charts/chart1.xml" },
        { id: "d", kind: "diagramData", target: "diagrams/data1.xml" },
      ],
      members: {
        "word/charts/chart1.xml": root(
          "c:chartSpace",
          `<c:chart>${title("Harvest")}<c:plotArea><c:barChart>${series}</c:barChart><c:catAx>${title("Month")}</c:catAx><c:valAx>${title("Weight in t")}</c:valAx></c:plotArea></c:chart>`,
        ),
        "word/diagrams/data1.xml": root(
          "dgm:dataModel",
          `<dgm:ptLst><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>Step</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>`,
        ),
      },
    });

    expect(blocks).toEqual([
      {
        type: "table",
        headerRowCount: 1,
        rows: [
          ["Month", "Tons"],
          ["May", "7"],
        ],
        caption: ["Harvest – Weight in t"],
      },
      { type: "list", ordered: false, items: [{ blocks: [paragraph("Step")] }] },
    ]);
  });

  test("a shape of another program, on a canvas of its own, gives its text", async () => {
    const canvas = `<lc:lockedCanvas xmlns:lc="c"><a:sp><a:txSp><a:txBody><a:p><a:r><a:t>Step </a:t></a:r><a:r><a:t>one</a:t></a:r></a:p></a:txBody></a:txSp></a:sp></lc:lockedCanvas>`;
    const body = `<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData>${canvas}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

    expect(await readBlocks(body)).toEqual([paragraph("Step one")]);
  });

  test("a drop-down list of a form shows the entry chosen", async () => {
    const list = (chosen: string): string =>
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>${chosen}<w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const body = `<w:p>${run("Colour: ")}${list('<w:result w:val="1"/>')}${run(", ")}${list("")}${list('<w:result w:val="9"/>')}</w:p>`;

    expect(await readBlocks(body)).toEqual([paragraph("Colour: blue, red")]);
  });

  test("an embedded object is told by the name of its program", async () => {
    const { warnings } = await read({
      body: `<w:p><w:r><w:object><o:OLEObject ProgID="Equation.3" r:id="x"/></w:object></w:r></w:p>`,
    });

    expect(warnings.join()).toContain("Equation.3");
  });

  test("pictures carry their bytes only when asked for", async () => {
    const parts = {
      body: `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="n" descr="A dot"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="i"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
      links: [{ id: "i", kind: "image", target: "media/dot.png" }],
      members: { "word/media/dot.png": "bytes" },
    };

    expect((await read(parts)).blocks).toEqual([{ type: "image", alt: "A dot", reference: "media/dot.png" }]);
    expect((await read(parts, { images: "data_uri" })).blocks).toMatchObject([
      { data: { mediaType: "image/png", bytes: Buffer.from("bytes") } },
    ]);
  });
});

describe("small print", () => {
  test("readings of characters follow them", async () => {
    const ruby = `<w:ruby><w:rt>${run("かんじ")}</w:rt><w:rubyBase>${run("漢字")}</w:rubyBase></w:ruby>`;

    expect(await readBlocks(`<w:p><w:r>${ruby}</w:r></w:p>`)).toEqual([paragraph("漢字(かんじ)")]);
  });

  test("a drop capital joins its paragraph", async () => {
    const body = p("O", '<w:framePr w:dropCap="drop"/>') + p("nce upon");

    expect(await readBlocks(body)).toEqual([paragraph("Once upon")]);
  });

  test("entries of a table of contents are a list without page numbers", async () => {
    const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const instruction = (text: string): string => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
    const page = `${field("begin")}${instruction("PAGEREF _Toc1")}${field("separate")}${run("12")}${field("end")}`;
    const styles = `<w:style w:type="paragraph" w:styleId="T1"><w:name w:val="toc 1"/></w:style>`;
    const entry = (text: string, before = ""): string =>
      `<w:p><w:pPr><w:pStyle w:val="T1"/></w:pPr>${before}${run(text)}<w:r><w:tab/></w:r>${page}</w:p>`;
    const body =
      entry("One", field("begin") + instruction("TOC") + field("separate")) +
      entry("Two") +
      `<w:p>${field("end")}</w:p>`;

    expect(await readBlocks(body, { styles })).toEqual([
      { type: "list", ordered: false, items: [{ blocks: [paragraph("One")] }, { blocks: [paragraph("Two")] }] },
    ]);
  });

  test("check boxes of list items are tasks", async () => {
    const numbering =
      `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>` +
      `<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;
    const item = (text: string): string => p(text, `<w:numPr><w:numId w:val="1"/></w:numPr>`);

    expect(await readBlocks(item("☒ done") + item("☐ open"), { numbering })).toEqual([
      {
        type: "list",
        ordered: false,
        items: [
          { isChecked: true, blocks: [paragraph("done")] },
          { isChecked: false, blocks: [paragraph("open")] },
        ],
      },
    ]);
  });
});
