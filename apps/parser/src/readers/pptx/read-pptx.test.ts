import { makePptx, type PptxSlide, root } from "@attune/testkit/make-ooxml.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import type { ReadOptions } from "../reader.ts";

const plain: ReadOptions = { pages: [], headersFooters: "drop", images: "placeholder" };

async function read(
  slides: readonly PptxSlide[],
  options: Partial<ReadOptions> = {},
  members: Record<string, string> = {},
) {
  const input = { bytes: makePptx(slides, members), fileName: "a.pptx", format: "pptx" };
  const budget = new Budget({ ...defaultLimits, maxTableCells: 100_000 });
  const { document, warnings } = await readSource(input, { ...plain, ...options }, budget);
  return { blocks: document.blocks.filter(({ type }) => type !== "pageBreak"), all: document.blocks, warnings };
}

const line = (text: string, properties = ""): string => `<a:p>${properties}<a:r><a:t>${text}</a:t></a:r></a:p>`;
const bullet = (text: string, level = 0): string => line(text, `<a:pPr lvl="${level}"><a:buChar char="•"/></a:pPr>`);
const shape = (body: string, { ph = "", at = "" } = {}): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${ph}</p:nvPr></p:nvSpPr><p:spPr>${at}</p:spPr><p:txBody>${body}</p:txBody></p:sp>`;
const placed = (x: number, y: number): { at: string } => ({
  at: `<a:xfrm><a:off x="${x}" y="${y}"/><a:ext cx="100" cy="100"/></a:xfrm>`,
});
const table = (rows: string, properties = ""): string =>
  `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr ${properties}/>${rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
const cell = (text: string, spans = ""): string => `<a:tc ${spans}><a:txBody>${line(text)}</a:txBody></a:tc>`;
const paragraph = (text: string) => ({ type: "paragraph", inlines: [text] });

test("dates that a converter filled in are left out and told", async () => {
  const body = `<a:p><a:r><a:t>on </a:t></a:r><a:fld type="datetime3"><a:t>1 May</a:t></a:fld><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>`;
  const slides = [{ shapes: shape(body) }];

  const { blocks, warnings } = await read(slides, { conversionFields: "drop" });
  expect(blocks).toEqual([paragraph("on 7")]);
  expect(warnings).toEqual([expect.stringContaining("converted were left out (1)")]);
  expect((await read(slides)).blocks).toEqual([paragraph("on 1 May7")]);
});

describe("slides", () => {
  test("each begins with its number, its title first, in the order of the presentation", async () => {
    const { all } = await read([
      { shapes: shape(line("text")) + shape(line("Title"), { ph: '<p:ph type="title"/>' }) },
      { shapes: shape(line("two")) },
    ]);

    expect(all).toEqual([
      { type: "pageBreak", number: 1 },
      { type: "heading", level: 1, inlines: ["Title"] },
      paragraph("text"),
      { type: "pageBreak", number: 2 },
      paragraph("two"),
    ]);
  });

  test("only the slides asked for are read, and asking for none of them is an error", async () => {
    const slides = [{ shapes: shape(line("one")) }, { shapes: shape(line("two")) }];

    expect((await read(slides, { pages: [{ first: 2, last: 9 }] })).blocks).toEqual([paragraph("two")]);
    await expect(read(slides, { pages: [{ first: 3, last: 9 }] })).rejects.toMatchObject({ reason: "PAGES_INVALID" });
  });

  test("hidden slides are kept and told", async () => {
    const { blocks, warnings } = await read([{ shapes: shape(line("backup")), attributes: 'show="0"' }]);

    expect(blocks).toEqual([paragraph("backup")]);
    expect(warnings).toEqual(["Slides hidden in the show were kept: 1."]);
  });

  test("a damaged slide is told and left out; when all are, the file is corrupt", async () => {
    const broken = { "ppt/slides/slide1.xml": "<p:sld><p:cSld>" };
    const { blocks, warnings } = await read([{ shapes: "" }, { shapes: shape(line("two")) }], {}, broken);

    expect(blocks).toEqual([paragraph("two")]);
    expect(warnings.join()).toContain("slide1.xml is damaged");
    await expect(read([{ shapes: "" }], {}, broken)).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });

  test("a slide with a document type declaration is refused", async () => {
    const evil = {
      "ppt/slides/slide1.xml": `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><p:sld>&e;</p:sld>`,
    };

    await expect(read([{ shapes: "" }], {}, evil)).rejects.toMatchObject({ reason: "MARKUP_REFUSED" });
  });
});

describe("text", () => {
  test("levels of bullets nest", async () => {
    const { blocks } = await read([{ shapes: shape(bullet("a") + bullet("b", 1) + bullet("c")) }]);

    expect(blocks).toEqual([
      {
        type: "list",
        ordered: false,
        items: [
          { blocks: [paragraph("a"), { type: "list", ordered: false, items: [{ blocks: [paragraph("b")] }] }] },
          { blocks: [paragraph("c")] },
        ],
      },
    ]);
  });

  test("bullets are inherited from the master through the layout", async () => {
    const link = (kind: string, target: string): string =>
      `<Relationships><Relationship Id="a" Type="t/${kind}" Target="${target}"/></Relationships>`;
    const placeholder = shape("", { ph: '<p:ph type="body"/>' });
    const { blocks } = await read(
      [
        {
          shapes: shape(line("inherited") + line("none", "<a:pPr><a:buNone/></a:pPr>"), { ph: '<p:ph type="body"/>' }),
          links: [{ id: "l", kind: "slideLayout", target: "../slideLayouts/l.xml" }],
        },
      ],
      {},
      {
        "ppt/slideLayouts/l.xml": root("p:sldLayout", `<p:cSld><p:spTree>${placeholder}</p:spTree></p:cSld>`),
        "ppt/slideLayouts/_rels/l.xml.rels": link("slideMaster", "../slideMasters/m.xml"),
        "ppt/slideMasters/m.xml": root(
          "p:sldMaster",
          `<p:cSld><p:spTree/></p:cSld><p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr></p:bodyStyle></p:txStyles>`,
        ),
      },
    );

    expect(blocks).toEqual([
      { type: "list", ordered: false, items: [{ blocks: [paragraph("inherited")] }] },
      paragraph("none"),
    ]);
  });

  test("slide numbers and footers are read only when asked for", async () => {
    const slides = [{ shapes: shape(line("confidential"), { ph: '<p:ph type="ftr"/>' }) }];

    expect((await read(slides)).blocks).toEqual([]);
    expect((await read(slides, { headersFooters: "keep" })).blocks).toEqual([paragraph("confidential")]);
  });

  test("what masters say of their own is told, and read once when asked for", async () => {
    const link = (kind: string, target: string): string =>
      `<Relationships><Relationship Id="a" Type="t/${kind}" Target="${target}"/></Relationships>`;
    const links = [{ id: "l", kind: "slideLayout", target: "../slideLayouts/l.xml" }];
    const example = shape(line("Click to edit"), { ph: '<p:ph type="title"/>' });
    const tree = (content: string): string => `<p:cSld><p:spTree>${content}</p:spTree></p:cSld>`;
    const members = {
      "ppt/slideLayouts/l.xml": root("p:sldLayout", tree(example)),
      "ppt/slideLayouts/_rels/l.xml.rels": link("slideMaster", "../slideMasters/m.xml"),
      "ppt/slideMasters/m.xml": root("p:sldMaster", tree(example + shape(line("Our firm")))),
    };
    const slides = [
      { shapes: shape(line("one")), links },
      { shapes: shape(line("two")), links },
    ];
    const told = "Text that masters repeat on slides was left out (shapes: 1). Ask for it with `headers_footers`.";

    expect(await read(slides, {}, members)).toMatchObject({
      blocks: [paragraph("one"), paragraph("two")],
      warnings: [told],
    });
    expect(await read(slides, { headersFooters: "keep" }, members)).toMatchObject({
      blocks: [paragraph("one"), paragraph("Our firm"), paragraph("two")],
      warnings: [],
    });
  });

  test("a slide that hides the shapes of its master leaves out none", async () => {
    const members = {
      "ppt/slideLayouts/l.xml": root("p:sldLayout", `<p:cSld><p:spTree>${shape(line("Our firm"))}</p:spTree></p:cSld>`),
    };
    const links = [{ id: "l", kind: "slideLayout", target: "../slideLayouts/l.xml" }];
    const slides = [{ shapes: shape(line("one")), links, attributes: 'showMasterSp="0"' }];

    expect((await read(slides, {}, members)).warnings).toEqual([]);
  });

  test("text in shapes and wrappers that are not known is read", async () => {
    const wrapped = "<a:p><a:unheardOf><a:r><a:t>a</a:t></a:r></a:unheardOf></a:p>";
    const strange = `<p:unheardOf><p:txBody>${line("b")}</p:txBody></p:unheardOf><p:more>${shape(line("c"))}</p:more>`;

    expect((await read([{ shapes: shape(wrapped) + strange }])).blocks).toEqual([
      paragraph("a"),
      paragraph("b"),
      paragraph("c"),
    ]);
  });

  test("a graphic of a kind that is not known is told", async () => {
    const chart = `<p:graphicFrame><a:graphic><a:graphicData><cx:chart xmlns:cx="c" r:id="x"/></a:graphicData></a:graphic></p:graphicFrame>`;
    const choice = `<mc:AlternateContent><mc:Choice Requires="cx1">${chart}</mc:Choice></mc:AlternateContent>`;

    expect((await read([{ shapes: choice }])).warnings).toEqual([expect.stringContaining("was left out")]);
  });

  test("shapes drawn out of order are read by their place", async () => {
    const { blocks } = await read([
      {
        shapes:
          shape(line("below"), placed(0, 500)) +
          shape(line("right"), placed(500, 0)) +
          shape(line("left"), placed(0, 0)),
      },
    ]);

    expect(blocks).toEqual([paragraph("left"), paragraph("right"), paragraph("below")]);
  });
});

describe("hostile presentations", () => {
  test("spans end where their table does", async () => {
    const { blocks } = await read([
      {
        shapes: table(
          `<a:tr>${cell("a", 'gridSpan="2000000000" rowSpan="2000000000"')}${cell("b")}</a:tr><a:tr>${cell("c")}</a:tr>`,
        ),
      },
    ]);

    expect(blocks).toMatchObject([{ rows: [[{ columnSpan: 2, rowSpan: 2 }, "b"], ["c"]] }]);
  });

  test("more cells than allowed are refused", async () => {
    const rows = `<a:tr>${cell("x").repeat(1000)}</a:tr>`.repeat(101);

    await expect(read([{ shapes: table(rows) }])).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  });

  test("a diagram whose points lie in a circle ends", async () => {
    const point = (id: string): string => `<dgm:pt modelId="${id}"><dgm:t>${line(id)}</dgm:t></dgm:pt>`;
    const link = (from: string, to: string): string => `<dgm:cxn srcId="${from}" destId="${to}"/>`;
    const model = `<dgm:ptLst>${point("a")}${point("b")}</dgm:ptLst><dgm:cxnLst>${link("a", "b")}${link("b", "a")}</dgm:cxnLst>`;
    const { blocks } = await read(
      [
        {
          shapes: `<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds r:dm="d"/></a:graphicData></a:graphic></p:graphicFrame>`,
          links: [{ id: "d", kind: "diagramData", target: "../d.xml" }],
        },
      ],
      {},
      { "ppt/d.xml": root("dgm:dataModel", model) },
    );

    expect(blocks).toMatchObject([
      { type: "list", items: [{ blocks: [paragraph("a")] }, { blocks: [paragraph("b")] }] },
    ]);
  });

  test("a hundred thousand shapes are read in the order of the file", async () => {
    const { blocks } = await read([{ shapes: shape(line("x"), placed(0, 0)).repeat(100_000) }]);

    expect(blocks).toHaveLength(100_000);
  }, 30_000);
});
