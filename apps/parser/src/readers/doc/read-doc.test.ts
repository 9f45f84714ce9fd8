import { type MadeDoc, makeDoc } from "@attune/testkit/make-doc.ts";
import type { MadeParagraph } from "@attune/testkit/make-doc-text.ts";
import { describe, expect, test } from "vitest";
import type { Document } from "../../document/document.ts";
import { paragraphOf, readMade } from "./read-made.fixture.ts";

async function blocksOf(document: MadeDoc): Promise<Document["blocks"]> {
  return (await readMade(makeDoc(document))).blocks;
}

const one = (...runs: MadeParagraph["runs"]): MadeDoc => ({ paragraphs: [{ runs }] });

const bold = "350801";
const hidden = "3c0801";
const deleted = "000801";
const special = "550801";

describe("characters", () => {
  test("have the formats of their changes, and those of their styles turned over", async () => {
    const document: MadeDoc = {
      styles: [
        { name: "Normal", builtin: 0 },
        { name: "loud", base: 0, characters: bold },
        { name: "strong", kind: 2, characters: bold },
      ],
      paragraphs: [
        { runs: ["a ", ["b", bold], " ", ["c", "360801"], " H", ["2", "482a02"], "O x", ["2", "482a01"]] },
        { style: 1, runs: ["all ", ["but this", "350881"], ["; nor this", "304a0200"]] },
      ],
    };
    expect(await blocksOf(document)).toEqual([
      paragraphOf(
        "a ",
        { type: "strong", inlines: ["b"] },
        " ",
        { type: "emphasis", inlines: ["c"] },
        " H",
        { type: "subscript", inlines: ["2"] },
        "O x",
        { type: "superscript", inlines: ["2"] },
      ),
      paragraphOf({ type: "strong", inlines: ["all"] }, " but this; nor this"),
    ]);
  });

  test("with a meaning of their own are what they mean", async () => {
    expect(await blocksOf(one("a\tb\x0bc\x1ed\x1fe\x0cf"))).toEqual([
      paragraphOf("a b", { type: "lineBreak" }, "c\u2011de", { type: "lineBreak" }, "f"),
    ]);
  });

  test("hidden and deleted ones are left out and told", async () => {
    const { blocks, warnings } = await readMade(
      makeDoc(one("a", ["b", hidden], "c", ["d", deleted], "e", ["f", "000881"])),
    );

    expect(blocks).toEqual([paragraphOf("ace")]);
    expect(warnings).toEqual([
      "Hidden text was left out (1 piece).",
      "Text deleted under change tracking was left out (2 deletions).",
    ]);
  });

  test("after a paragraph whose end was deleted belong to the same paragraph", async () => {
    const paragraphs = [{ runs: ["a", ["", deleted] as const], mark: "" }, { runs: [["\r", deleted] as const, "b"] }];
    expect(await blocksOf({ paragraphs })).toEqual([paragraphOf("ab")]);
  });

  test("of symbols are those of their font", async () => {
    const fonts = Buffer.alloc(4 + 2 * 60);
    fonts.writeUInt16LE(2, 0);
    fonts[4] = 59;
    fonts[64] = 59;
    fonts.write("Symbol", 64 + 40, "utf16le");
    const symbol = ["(", `${special}096a010061f0`] as const;
    expect(await blocksOf({ ...one("x ", symbol), structures: { 15: fonts } })).toEqual([paragraphOf("x α")]);
  });
});

describe("paragraphs", () => {
  test("are headings by the number of their style, in any language, and by their outline level", async () => {
    const document: MadeDoc = {
      styles: [
        { name: "Standard", builtin: 0 },
        { name: "Überschrift 2", builtin: 2, base: 0 },
        { name: "Unser Abschnitt", base: 1 },
        { name: "Titel", builtin: 62, base: 0 },
      ],
      paragraphs: [
        { runs: ["T"], style: 3 },
        { runs: ["A"], style: 1 },
        { runs: ["B"], style: 2 },
        { runs: ["C"], changes: "402603" },
        { runs: ["D"], style: 2, changes: "402609" },
      ],
    };
    const heading = (level: number, text: string): unknown => ({ type: "heading", level, inlines: [text] });
    expect(await blocksOf(document)).toEqual([
      heading(1, "T"),
      heading(2, "A"),
      heading(2, "B"),
      heading(4, "C"),
      paragraphOf("D"),
    ]);
  });

  test("styles that are based on one another in a circle end", async () => {
    const styles = [
      { name: "a", base: 1 },
      { name: "b", base: 0, characters: bold },
    ];
    expect(await blocksOf({ styles, paragraphs: [{ runs: ["x"] }] })).toEqual([
      paragraphOf({ type: "strong", inlines: ["x"] }),
    ]);
  });
});

describe("fields", () => {
  const begin = ["\x13", special] as const;
  const separate = ["\x14", special] as const;
  const end = ["\x15", special] as const;

  test("show their result, with the address of a link", async () => {
    const run = [begin, ' HYPERLINK "https://example.org/" \\l "part" ', separate, "there", end] as const;
    expect(await blocksOf(one("go ", ...run, "!"))).toEqual([
      paragraphOf("go ", { type: "link", target: "https://example.org/#part", inlines: ["there"] }, "!"),
    ]);
  });

  test("of page numbers in a table of contents are left out", async () => {
    const toc = [begin, " TOC \\o ", separate, "One\t", begin, " PAGEREF x ", separate, "7", end, end] as const;
    expect(await blocksOf(one(...toc))).toEqual([paragraphOf("One")]);
  });

  test("may have instructions of many paragraphs", async () => {
    const paragraphs = [
      { runs: [begin, " IF a = b ", "no text"] },
      { runs: ["nor this ", separate, "shown", end] },
      { runs: ["after"] },
    ];
    expect(await blocksOf({ paragraphs })).toEqual([paragraphOf("shown"), paragraphOf("after")]);
  });

  test("that never end hide nothing after their paragraph", async () => {
    const { blocks } = await readMade(makeDoc({ paragraphs: [{ runs: ["a", begin, " REF x"] }, { runs: ["b"] }] }));
    expect(blocks).toEqual([paragraphOf("a"), paragraphOf("b")]);
  });

  test("of controls show their state", async () => {
    const state = Buffer.alloc(0x44 + 40);
    state.writeUInt32LE(state.length, 0);
    state.writeUInt16LE(0x44, 4);
    state.writeUInt32LE(0xffffffff, 0x44);
    state.writeUInt16LE(1 | (1 << 2), 0x48);
    const picture = ["\x01", `${special}060801036a00000000`] as const;
    const document = { ...one("done: ", begin, " FORMCHECKBOX ", picture, end), data: state };
    expect(await blocksOf(document)).toEqual([paragraphOf("done: ☒")]);
  });

  test("of embedded objects are told", async () => {
    const { warnings } = await readMade(makeDoc(one(begin, " EMBED Excel.Sheet.8 ", separate, "x", end)));
    expect(warnings).toEqual(["An embedded object (Excel.Sheet.8) was left out; its picture, if any, stands for it."]);
  });
});

test("notes stand behind the text, and marks of the author's own stay", async () => {
  const references = Buffer.alloc(4 * 3 + 2 * 2);
  [1, 4, 8].forEach((position, index) => references.writeUInt32LE(position, 4 * index));
  references.writeUInt16LE(1, 12);
  const texts = Buffer.alloc(16);
  [0, 3, 6, 7].forEach((position, index) => texts.writeUInt32LE(position, 4 * index));
  const document: MadeDoc = {
    paragraphs: [{ runs: ["a", ["\x02", special], "bc*d"] }],
    notes: [{ runs: [["\x02", special], "A"] }, { runs: ["*B"] }],
    structures: { 2: references, 3: texts },
  };
  const reference = (id: string): unknown => ({ type: "noteReference", id });
  expect(await blocksOf(document)).toEqual([
    paragraphOf("a", reference("1"), "bc", reference("2"), "*d"),
    { type: "footnote", id: "1", blocks: [paragraphOf("A")] },
    { type: "footnote", id: "2", blocks: [paragraphOf("*B")] },
  ]);
});

describe("lists", () => {
  const definition = Buffer.alloc(2 + 28);
  definition.writeUInt16LE(1, 0);
  definition.writeInt32LE(77, 2);
  definition[28] = 1;
  const level = (format: number, label: string): Buffer => {
    const head = Buffer.alloc(28);
    head.writeInt32LE(4, 0);
    head[4] = format;
    return Buffer.concat([head, Buffer.from([label.length, 0]), Buffer.from(label, "utf16le")]);
  };
  const override = Buffer.alloc(4 + 16 + 4);
  override.writeUInt32LE(1, 0);
  override.writeInt32LE(77, 4);
  const items = ["a", "b"].map((text) => ({ runs: [text], changes: "0b460100" }));
  const listOf = (format: number, label: string): MadeDoc => ({
    paragraphs: items,
    structures: { 73: Buffer.concat([definition, level(format, label)]), 74: override },
  });

  test.each([
    ["numbers from where they start", listOf(0, "\0."), { ordered: true, start: 4 }],
    ["bullets", listOf(23, "\uf0b7"), { ordered: false }],
  ])("have %s", async (_, document, expected) => {
    const [list] = await blocksOf(document);
    expect(list).toMatchObject({ type: "list", ...expected, items: [{ blocks: [paragraphOf("a")] }, {}] });
  });
});
