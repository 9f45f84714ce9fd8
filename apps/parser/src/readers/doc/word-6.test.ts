import { type MadeDoc, makeDoc, makePieces } from "@attune/testkit/make-doc.ts";
import { textOffset } from "@attune/testkit/make-doc-text.ts";
import { describe, expect, test } from "vitest";
import { paragraphOf, readMade } from "./read-made.fixture.ts";

test("files that are older still are refused by name", async () => {
  const bytes = Buffer.alloc(600);
  bytes.writeUInt32LE(0x002da5db, 0);
  await expect(readMade(bytes)).rejects.toMatchObject({ reason: "UNSUPPORTED_FILE_TYPE" });
});

describe("files of Word 6", () => {
  const fontTable = (charset: number): Buffer => {
    const font = Buffer.from([9, 0, 0, 0, charset, 0, 0x41, 0x72, 0x69, 0]);
    return Buffer.concat([Buffer.from([12, 0]), font]);
  };

  test("have the encoding of their fonts", async () => {
    const text = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]).toString("latin1");
    const document: MadeDoc = {
      paragraphs: [{ runs: [[text, "5d0000"]] }],
      structures: { 0xd0: fontTable(204) },
    };
    expect((await readMade(makeDoc(document, true))).blocks).toEqual([paragraphOf("Привет")]);
  });

  test("have that of their language where the fonts leave it open, or the one asked for", async () => {
    const text = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]).toString("latin1");
    const bytes = makeDoc({ paragraphs: [{ runs: [text] }], languageId: 0x419 }, true);
    expect((await readMade(bytes)).blocks).toEqual([paragraphOf("Привет")]);
    expect((await readMade(bytes, { encoding: "koi8-r" })).blocks).not.toEqual([paragraphOf("Привет")]);
  });

  test("have the same formats in their own codes", async () => {
    const document: MadeDoc = {
      styles: [
        { name: "Normal", builtin: 0 },
        { name: "heading 1", builtin: 1 },
      ],
      paragraphs: [{ runs: ["H"], style: 1 }, { runs: ["a ", ["b", "5501"]] }],
    };
    expect((await readMade(makeDoc(document, true))).blocks).toEqual([
      { type: "heading", level: 1, inlines: ["H"] },
      paragraphOf("a ", { type: "strong", inlines: ["b"] }),
    ]);
  });

  test("number paragraphs in the paragraphs themselves", async () => {
    // ANLD: decimal, a point after it, from 5 on.
    const numbering = `0c34${"000001".padEnd(20, "0")}0500${"".padEnd(80, "0")}`;
    const items = ["a", "b"].map((text) => ({ runs: [text], changes: `${numbering}0d0a` }));
    const item = (text: string): unknown => ({ blocks: [paragraphOf(text)] });
    expect((await readMade(makeDoc({ paragraphs: items }, true))).blocks).toEqual([
      { type: "list", ordered: true, start: 5, items: [item("a"), item("b")] },
    ]);
  });

  test("fast-saved ones have their text in pieces, in another order than in the file", async () => {
    const pieces = [
      { end: 3, offset: 0x603 },
      { end: 6, offset: 0x600 },
    ];
    const document: MadeDoc = { paragraphs: [{ runs: ["lo"] }, { runs: ["hi"] }], pieces };
    expect((await readMade(makeDoc(document, true))).blocks).toEqual([paragraphOf("hi"), paragraphOf("lo")]);
  });
});

test("pieces of fast-saved files change what is in them, as a whole", async () => {
  const group = Buffer.from("0046010035080155", "hex").subarray(0, 7);
  const prc = Buffer.concat([Buffer.from([1, group.length, 0]), group]);
  const document: MadeDoc = {
    styles: [
      { name: "Normal", builtin: 0 },
      { name: "heading 1", builtin: 1 },
    ],
    paragraphs: [{ runs: ["a ", "b"] }, { runs: ["c"] }],
    structures: {
      33: Buffer.concat([
        prc,
        makePieces([
          { end: 4, offset: textOffset, modifier: 1 },
          { end: 6, offset: textOffset + 8, modifier: 0x0100 | (0x55 << 1) },
        ]),
      ]),
    },
  };
  expect((await readMade(makeDoc(document))).blocks).toEqual([
    { type: "heading", level: 1, inlines: ["a b"] },
    paragraphOf({ type: "strong", inlines: ["c"] }),
  ]);
});
