import { expect, describe, test } from "vitest";
import { makeCompound } from "@attune/testkit/make-encrypted-package.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import type { ReadOptions } from "../reader.ts";
import {
  group,
  longs,
  makePresentation,
  type PresentationParts,
  record,
  shape,
  shorts,
  text,
  utf16,
} from "./presentation.fixture.ts";
import { recordType } from "./records.ts";
import { textTypes } from "./text-parts.ts";

async function read(parts: PresentationParts | Buffer, options: Partial<ReadOptions> = {}) {
  const bytes = Buffer.isBuffer(parts) ? parts : makeCompound(makePresentation(parts));
  const input = { bytes, fileName: "a.ppt", format: "ppt" };
  const all: ReadOptions = { pages: [], headersFooters: "drop", images: "placeholder", ...options };
  const { document, warnings } = await readSource(input, all, new Budget(defaultLimits));
  return { blocks: document.blocks.filter(({ type }) => type !== "pageBreak"), all: document.blocks, warnings };
}

const { title, body, other } = textTypes;
const box = (words: string, type: number = other, ...more: readonly Buffer[]): Buffer =>
  shape({ box: [0, 0, 10, 10], text: text(type, words, ...more) });
const paragraph = (...inlines: readonly unknown[]) => ({ type: "paragraph", inlines });
const item = (...blocks: readonly unknown[]) => ({ blocks });

/** A run of paragraphs: characters, level, and whether they say that they have a bullet. */
const paragraphRun = (count: number, level: number, bullet?: boolean): Buffer =>
  Buffer.concat([
    longs(count),
    shorts(level),
    longs(bullet === undefined ? 0 : 1),
    bullet === undefined ? Buffer.alloc(0) : shorts(bullet ? 1 : 0),
  ]);
const characterRun = (count: number, masks = 0, ...values: readonly number[]): Buffer =>
  Buffer.concat([longs(count, masks), shorts(...values)]);
const styles = (...runs: readonly Buffer[]): Buffer => record(recordType.textStyles, Buffer.concat(runs));

describe("slides", () => {
  test("each begins with its number, its title first, in the order of the list", async () => {
    const { all } = await read({
      slides: [{ shapes: [box("words"), box("Title", title)] }, { shapes: [box("two")] }],
    });

    expect(all).toEqual([
      { type: "pageBreak", number: 1 },
      { type: "heading", level: 1, inlines: ["Title"] },
      paragraph("words"),
      { type: "pageBreak", number: 2 },
      paragraph("two"),
    ]);
  });

  test("texts of the outline stand where shapes refer to them; the others are not lost", async () => {
    const reference = (index: number): Buffer =>
      shape({ box: [0, 0, 10, 10], text: record(recordType.outlineReference, longs(index)) });
    const outline = [text(title, "Title"), text(body, "unused"), text(body, "body")];
    const { blocks } = await read({ slides: [{ shapes: [reference(2), reference(0), reference(9)], outline }] });

    expect(blocks).toEqual([{ type: "heading", level: 1, inlines: ["Title"] }, paragraph("body"), paragraph("unused")]);
  });

  test("only those asked for are read, and asking for none of them is an error", async () => {
    const slides = [{ shapes: [box("one")] }, { shapes: [box("two")] }];

    expect((await read({ slides }, { pages: [{ first: 2, last: 9 }] })).blocks).toEqual([paragraph("two")]);
    await expect(read({ slides }, { pages: [{ first: 3, last: 9 }] })).rejects.toMatchObject({
      reason: "PAGES_INVALID",
    });
  });

  test("hidden slides are kept and told, comments are counted", async () => {
    const comments = record(recordType.programTags, [
      record(recordType.programBinaryTag, [
        record(recordType.string, utf16("___PPT10")),
        record(recordType.binaryTag, [record(recordType.comment, []), record(recordType.comment, [])]),
      ]),
    ]);
    const { blocks, warnings } = await read({ slides: [{ shapes: [box("a")], isHidden: true, more: [comments] }] });

    expect(blocks).toEqual([paragraph("a")]);
    expect(warnings).toEqual(["Comments were left out (2).", "Slides hidden in the show were kept: 1."]);
  });

  test("notes follow their slide", async () => {
    const { blocks } = await read({ slides: [{ shapes: [box("a")], notes: [box("say it", textTypes.notes)] }] });

    expect(blocks).toEqual([
      paragraph("a"),
      { type: "quote", blocks: [paragraph({ type: "strong", inlines: ["Notes:"] }), paragraph("say it")] },
    ]);
  });

  test("what the master says of its own is told, and read once when asked for", async () => {
    const placeholder = record(recordType.placeholder, Buffer.from([0, 0, 0, 0, 1, 0, 0, 0]));
    const example = shape({ box: [0, 0, 1, 1], text: text(title, "Click to edit"), facts: [placeholder] });
    const inner = record(recordType.artGroup, [record(recordType.artShape, []), box("Our firm"), example]);
    const master = [record(recordType.drawing, [record(recordType.artDrawing, [inner])])];
    const slides = [{ shapes: [box("one")] }, { shapes: [box("two")] }];

    expect(await read({ slides, master })).toMatchObject({
      blocks: [paragraph("one"), paragraph("two")],
      warnings: [expect.stringContaining("(shapes: 1)")],
    });
    expect((await read({ slides, master }, { headersFooters: "keep" })).blocks).toEqual([
      paragraph("one"),
      paragraph("Our firm"),
      paragraph("two"),
    ]);
  });

  test("footers are read only when asked for", async () => {
    const footer = record(recordType.placeholder, Buffer.from([0, 0, 0, 0, 9, 0, 0, 0]));
    const slides = [{ shapes: [shape({ box: [0, 0, 1, 1], text: text(other, "confidential"), facts: [footer] })] }];

    expect((await read({ slides })).blocks).toEqual([]);
    expect((await read({ slides }, { headersFooters: "keep" })).blocks).toEqual([paragraph("confidential")]);
  });
});

describe("text", () => {
  test("bold, italic and raised runs, and breaks of lines", async () => {
    const look = styles(
      paragraphRun(99, 0),
      characterRun(2, 1, 1),
      characterRun(2, 2, 2),
      characterRun(2, 1 << 19, 30),
      characterRun(90),
    );

    expect((await read({ slides: [{ shapes: [box("b i 3\vx", other, look)] }] })).blocks).toEqual([
      paragraph(
        { type: "strong", inlines: ["b"] },
        " ",
        { type: "emphasis", inlines: ["i"] },
        " ",
        { type: "superscript", inlines: ["3"] },
        { type: "lineBreak" },
        "x",
      ),
    ]);
  });

  test("bullets come from the master unless the paragraph says otherwise, and nest by level", async () => {
    const level = (hasBullet: boolean): Buffer => Buffer.concat([longs(1), shorts(hasBullet ? 1 : 0), longs(0)]);
    const master = [record(recordType.masterTextStyles, Buffer.concat([shorts(2), level(true), level(true)]), body)];
    const look = styles(paragraphRun(2, 0), paragraphRun(2, 1), paragraphRun(2, 0, false), characterRun(99));

    expect((await read({ slides: [{ shapes: [box("a\rb\rc", body, look)] }], master })).blocks).toEqual([
      {
        type: "list",
        ordered: false,
        items: [item(paragraph("a"), { type: "list", ordered: false, items: [item(paragraph("b"))] })],
      },
      paragraph("c"),
    ]);
  });

  test("numbers of PowerPoint 2000 and later make ordered lists", async () => {
    // The look of the characters names the first of the shape's later styles, which has a scheme that begins at 3.
    const look = styles(paragraphRun(99, 0, true), characterRun(99, 0x3c00, 0 << 10));
    const numbers = Buffer.concat([longs((1 << 24) | (1 << 25)), shorts(1), shorts(3, 3), longs(0), longs(0)]);
    const tags = record(recordType.programTags, [
      record(recordType.programBinaryTag, [
        record(recordType.string, utf16("___PPT9")),
        record(recordType.binaryTag, [record(recordType.textStyles9, numbers)]),
      ]),
    ]);
    const shapes = [shape({ box: [0, 0, 1, 1], text: text(other, "a\rb", look), facts: [tags] })];

    expect((await read({ slides: [{ shapes }] })).blocks).toEqual([
      { type: "list", ordered: true, start: 3, items: [item(paragraph("a")), item(paragraph("b"))] },
    ]);
  });

  test("links lead where the document says, and nowhere dangerous", async () => {
    const link = (id: number, address: string): Buffer =>
      record(recordType.externalLink, [
        record(recordType.externalLinkAtom, longs(id)),
        record(recordType.string, utf16(address), 1),
      ]);
    const document = [
      record(recordType.externalObjects, [link(1, "https://example.org/"), link(2, "javascript:alert(1)")]),
    ];
    const span = (id: number, begin: number, end: number): Buffer =>
      Buffer.concat([
        record(recordType.interaction, [record(recordType.interactionAtom, longs(0, id, 0, 0))]),
        record(recordType.textInteraction, longs(begin, end)),
      ]);

    expect(
      (await read({ slides: [{ shapes: [box("see this now", other, span(2, 9, 12), span(1, 4, 8))] }], document }))
        .blocks,
    ).toEqual([paragraph("see ", { type: "link", target: "https://example.org/", inlines: ["this"] }, " now")]);
  });

  test("numbers of slides are read, dates of the moment are left out and told", async () => {
    const meta = (type: number, at: number): Buffer => record(type, longs(at, 0));
    const words = box("slide * of *", other, meta(recordType.slideNumber, 6), meta(recordType.dateTime, 11));

    expect(await read({ slides: [{ shapes: [words] }] })).toMatchObject({
      blocks: [paragraph("slide 1 of")],
      warnings: ["Fields that show the present date or time were left out (1)."],
    });
  });

  test("letters drawn as art, and pictures with what they show", async () => {
    const art = shape({ box: [0, 0, 1, 1], properties: [[0x00c0, "Sale\r\nnow"]] });

    expect((await read({ slides: [{ shapes: [art] }] })).blocks).toEqual([paragraph("Sale now")]);
  });
});

describe("tables", () => {
  const cell = (words: string, at: readonly [number, number, number, number]): Buffer =>
    shape({ box: at, text: text(other, words), isChild: true });

  test("the cells of a table group stand in its rows and columns", async () => {
    const cells = [
      cell("a", [0, 0, 500, 100]),
      cell("b", [500, 0, 1000, 100]),
      cell("c", [0, 100, 1000, 200]),
      cell("", [0, 200, 500, 300]),
      cell("d", [500, 200, 1000, 300]),
    ];

    expect((await read({ slides: [{ shapes: [group(cells, { isTable: true })] }] })).blocks).toEqual([
      {
        type: "table",
        headerRowCount: 1,
        rows: [["a", "b"], [{ blocks: [paragraph("c")], columnSpan: 2 }], ["", "d"]],
      },
    ]);
  });

  test("cells that overlap are no table, and are read one by one", async () => {
    const cells = [cell("a", [0, 0, 500, 100]), cell("b", [100, 0, 1000, 100])];

    expect((await read({ slides: [{ shapes: [group(cells, { isTable: true })] }] })).blocks).toEqual([
      paragraph("a"),
      paragraph("b"),
    ]);
  });
});

test("presentations of PowerPoint 95 are refused with what to do", async () => {
  await expect(read(makeCompound([["PP40", Buffer.alloc(4096)]]))).rejects.toMatchObject({
    reason: "UNSUPPORTED_FILE_TYPE",
    details: { detail: expect.stringContaining("save it as .pptx") },
  });
});
