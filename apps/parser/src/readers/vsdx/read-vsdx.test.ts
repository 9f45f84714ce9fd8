import { makeZip } from "@attune/testkit/make-zip.ts";
import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import type { ReadOptions } from "../reader.ts";

const main =
  'xmlns="http://schemas.microsoft.com/office/visio/2012/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const links = (entries: readonly (readonly [id: string, target: string])[]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries
    .map(([id, target]) => `<Relationship Id="${id}" Type="x/${id}" Target="${target}"/>`)
    .join("")}</Relationships>`;

interface PageParts {
  readonly shapes: string;
  readonly attributes?: string;
}

async function read(
  pages: readonly PageParts[],
  options: Partial<ReadOptions> = {},
  more: Record<string, string> = {},
) {
  const list = pages.map(
    ({ attributes = "" }, index) => `<Page ID="${index}" ${attributes}><Rel r:id="r${index}"/></Page>`,
  );
  const members: Record<string, string> = {
    "[Content_Types].xml": "<Types/>",
    "visio/document.xml": `<VisioDocument ${main}/>`,
    "visio/pages/pages.xml": `<Pages ${main}>${list.join("")}</Pages>`,
    "visio/pages/_rels/pages.xml.rels": links(pages.map((_, index) => [`r${index}`, `page${index}.xml`] as const)),
    ...Object.fromEntries(
      pages.map(({ shapes }, index) => [
        `visio/pages/page${index}.xml`,
        `<PageContents ${main}><Shapes>${shapes}</Shapes></PageContents>`,
      ]),
    ),
    ...more,
  };
  const bytes = makeZip(Object.entries(members).map(([name, content]) => ({ name, bytes: content })));
  const all: ReadOptions = { pages: [], headersFooters: "drop", images: "placeholder", ...options };
  const { document, warnings } = await readSource(
    { bytes, fileName: "a.vsdx", format: "vsdx" },
    all,
    new Budget(defaultLimits),
  );
  return { blocks: document.blocks.filter(({ type }) => type !== "pageBreak"), warnings };
}

const at = (x: number, y: number): string =>
  `<Cell N="PinX" V="${x}"/><Cell N="PinY" V="${y}"/><Cell N="Width" V="1"/><Cell N="Height" V="1"/>`;
const shape = (content: string, attributes = ""): string => `<Shape ${attributes}>${content}</Shape>`;
const say = (...inlines: readonly unknown[]) => ({ type: "paragraph", inlines });

describe("pages", () => {
  test("have their names as headings unless the program gave them", async () => {
    const pages = [
      { shapes: shape("<Text>one</Text>"), attributes: 'Name="Network"' },
      { shapes: shape("<Text>two</Text>"), attributes: 'Name="Zeichenblatt-2"' },
    ];

    expect((await read(pages)).blocks).toEqual([
      { type: "heading", level: 1, inlines: ["Network"] },
      say("one"),
      say("two"),
    ]);
    await expect(read(pages, { pages: [{ first: 3, last: 3 }] })).rejects.toMatchObject({
      reason: "PAGES_INVALID",
      details: { detail: "The drawing has 2 pages." },
    });
  });

  test("behind others are told, and read when asked for", async () => {
    const pages = [
      { shapes: shape("<Text>x</Text>") },
      { shapes: shape("<Text>Our firm</Text>"), attributes: 'Background="1"' },
    ];

    expect(await read(pages)).toEqual({ blocks: [say("x")], warnings: [expect.stringContaining("Background pages")] });
    expect((await read(pages, { headersFooters: "keep" })).blocks).toEqual([say("x"), say("Our firm")]);
  });

  test("that are damaged are told, and the others read", async () => {
    const { blocks, warnings } = await read([{ shapes: "<broken" }, { shapes: shape("<Text>two</Text>") }]);

    expect(blocks).toEqual([say("two")]);
    expect(warnings.join()).toContain("page0.xml is damaged");
  });
});

describe("shapes", () => {
  test("are read from above, those of groups where the group stands", async () => {
    const group = shape(
      `${at(5, 9)}<Cell N="LocPinX" V="0.5"/><Shapes>${shape(`${at(0, 0)}<Text>in a group</Text>`)}</Shapes>`,
    );
    const shapes = shape(`${at(5, 1)}<Text>below</Text>`) + shape(`${at(5, 5)}<Text>middle</Text>`) + group;

    expect((await read([{ shapes }])).blocks).toEqual([say("in a group"), say("middle"), say("below")]);
  });

  test("have formats of runs, paragraphs, fields and a link", async () => {
    const character =
      '<Section N="Character"><Row IX="0"/><Row IX="1"><Cell N="Style" V="17"/></Row></Section><Section N="Hyperlink"><Row><Cell N="Address" V="https://example.org"/></Row></Section>';
    const text = '<Text><cp IX="0"/>a <cp IX="1"/>b<cp IX="0"/> <fld IX="0">7</fld>\nc</Text>';
    const link = (...inlines: readonly unknown[]) => ({ type: "link", target: "https://example.org", inlines });

    expect((await read([{ shapes: shape(character + text) }])).blocks).toEqual([
      say(link("a ", { type: "strong", inlines: ["b"] }, " 7")),
      say(link("c")),
    ]);
  });

  test("have the text of their master, unless it is hidden", async () => {
    const master = `<MasterContents ${main}><Shapes>${shape(
      `<Text>Router</Text><Shapes>${shape("<Text>Port</Text>", 'ID="6"')}${shape('<Cell N="HideText" V="1"/><Text>M1</Text>', 'ID="7"')}</Shapes>`,
      'ID="5"',
    )}</Shapes></MasterContents>`;
    const shapes = shape(
      `<Shapes>${shape("", 'MasterShape="6"')}${shape("", 'MasterShape="7"')}${shape("<Text>own</Text>", 'MasterShape="6"')}</Shapes>`,
      'Master="2"',
    );
    const more = {
      "visio/masters/masters.xml": `<Masters ${main}><Master ID="2"><Rel r:id="m"/></Master></Masters>`,
      "visio/masters/_rels/masters.xml.rels": links([["m", "master1.xml"]]),
      "visio/masters/master1.xml": master,
    };

    expect(await read([{ shapes }], {}, more)).toEqual({
      blocks: [say("Router"), say("Port"), say("own")],
      warnings: [],
    });
  });

  test("that hide text or carry data are told", async () => {
    const data = '<Section N="Property"><Row><Cell N="Value" V="42"/></Row></Section>';
    const shapes = shape(`${data}<Cell N="HideText" V="1"/><Text>x</Text>`);

    expect(await read([{ shapes }])).toEqual({
      blocks: [],
      warnings: ["Hidden text of shapes was left out (1).", "Data behind shapes were left out (fields: 1)."],
    });
  });
});

describe("drawings made to harm", () => {
  test("groups that nest without end are refused or told", async () => {
    const nested = "<Shape><Shapes>".repeat(400) + "</Shapes></Shape>".repeat(400);

    const { blocks, warnings } = await read([{ shapes: nested }, { shapes: shape("<Text>x</Text>") }]);
    expect(blocks).toEqual([say("x")]);
    expect(warnings).toHaveLength(1);
  });

  test("masters that are their own parents, and numbers that are none, do no harm", async () => {
    const more = {
      "visio/masters/masters.xml": `<Masters ${main}><Master ID="2"><Rel r:id="m"/></Master></Masters>`,
      "visio/masters/_rels/masters.xml.rels": links([["m", "masters.xml"]]),
    };
    const shapes = shape(`<Cell N="PinX" V="Infinity"/><Text>x</Text>`, 'Master="2" MasterShape="9"');

    expect((await read([{ shapes }], {}, more)).blocks).toEqual([say("x")]);
  });

  test("a drawing without pages is corrupt", async () => {
    await expect(read([])).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });
});
