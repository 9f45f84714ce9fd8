import { deflateRawSync } from "node:zlib";
import { makeCompoundTree } from "@attune/testkit/make-compound-tree.ts";
import { expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import type { ReadOptions } from "../reader.ts";
import {
  characterShape,
  control,
  counted,
  fileHeader,
  longs,
  paragraph,
  paragraphShape,
  record,
  shorts,
  styleNamed,
  table,
} from "./hwp.fixture.ts";
import { hwpTag } from "./hwp-records.ts";

const info = Buffer.concat([
  record(17, 0),
  characterShape(0),
  characterShape(2),
  characterShape(1),
  paragraphShape(0, 0),
  paragraphShape(2, 0),
  paragraphShape(3, 1),
  paragraphShape(1, 1),
  styleNamed("바탕글"),
  styleNamed("개요 1"),
]);

function makeHwp(sections: readonly Buffer[], flags = 1): Buffer {
  const pack = (bytes: Buffer): Buffer => ((flags & 1) === 1 ? deflateRawSync(bytes) : bytes);
  return makeCompoundTree([
    ["FileHeader", fileHeader(flags)],
    ["DocInfo", pack(info)],
    ...sections.map((section, index) => [`BodyText/Section${index}`, pack(section)] as const),
  ]);
}

async function read(bytes: Buffer, options: Partial<ReadOptions> = {}) {
  const all: ReadOptions = { pages: [], headersFooters: "drop", images: "placeholder", ...options };
  const input = { bytes, fileName: "a.hwp", format: "hwp" };
  const { document, warnings } = await readSource(input, all, new Budget(defaultLimits));
  return { blocks: document.blocks, warnings };
}

const say = (...inlines: readonly unknown[]) => ({ type: "paragraph", inlines });

test("sections follow one another, compressed or not", async () => {
  for (const flags of [0, 1]) {
    const sections = [paragraph({ text: "하나\r" }), paragraph({ text: "둘\r" })];
    expect((await read(makeHwp(sections, flags))).blocks).toEqual([say("하나"), say("둘")]);
  }
});

test("formats of characters, breaks of lines and fixed spaces", async () => {
  const text = paragraph({ text: "ab c\nd\u001ee\r", runs: [0, 1, 1, 0, 3, 2, 4, 0] });

  expect((await read(makeHwp([text]))).blocks).toEqual([
    say(
      { type: "strong", inlines: ["a"] },
      "b ",
      { type: "emphasis", inlines: ["c"] },
      { type: "lineBreak" },
      "d\u00a0e",
    ),
  ]);
});

test("outlines are headings, by style or by shape; numbers go on after what stands between", async () => {
  const section = Buffer.concat([
    paragraph({ text: "Title\r", style: 1 }),
    paragraph({ text: "Part\r", shape: 3 }),
    paragraph({ text: "one\r", shape: 1 }),
    paragraph({ text: "bullet\r", shape: 2 }),
    paragraph({ text: "between\r" }),
    paragraph({ text: "two\r", shape: 1 }),
  ]);

  expect((await read(makeHwp([section]))).blocks).toEqual([
    { type: "heading", level: 1, inlines: ["Title"] },
    { type: "heading", level: 2, inlines: ["Part"] },
    {
      type: "list",
      ordered: true,
      items: [{ blocks: [say("one"), { type: "list", ordered: false, items: [{ blocks: [say("bullet")] }] }] }],
    },
    say("between"),
    { type: "list", ordered: true, start: 2, items: [{ blocks: [say("two")] }] },
  ]);
});

test("tables with cells that span, and the text around them", async () => {
  const cells = table(1, [
    { text: "a\r", at: [0, 0], spans: [1, 2], isHeader: true },
    { text: "b\r", at: [1, 0] },
    { text: "c\r", at: [1, 1] },
  ]);

  expect((await read(makeHwp([paragraph({ text: "before \u000bafter\r", controls: [cells] })]))).blocks).toEqual([
    say("before"),
    { type: "table", headerRowCount: 1, rows: [[{ blocks: [say("a")], columnSpan: 2 }], ["b", "c"]] },
    say("after"),
  ]);
});

test("text boxes, notes, equations, numbers of figures and links", async () => {
  const list = (level: number, words: string): Buffer[] => [
    record(hwpTag.list, level, longs(1, 0)),
    paragraph({ text: `${words}\r`, level }),
  ];
  const command = Buffer.concat([longs(0), Buffer.from([0]), counted("https\\://example.org/;1;0;0;")]);
  const text = paragraph({
    text: "Fig. \u0012: \u0003here\u0004 x\u0011\u000b \u000b\r",
    controls: [
      control("atno", { more: Buffer.concat([longs(3), shorts(7)]) }),
      control("%hlk", { more: command }),
      control("fn  ", { below: list(2, "a note") }),
      control("eqed", { below: [record(hwpTag.equation, 2, Buffer.concat([longs(0), counted("a over b")]))] }),
      control("gso ", { below: [record(76, 2), ...list(3, "boxed")] }),
    ],
  });

  expect((await read(makeHwp([text]))).blocks).toEqual([
    say(
      "Fig. 7: ",
      { type: "link", target: "https://example.org/", inlines: ["here"] },
      " x",
      { type: "noteReference", id: "1" },
      { type: "formula", notation: "text", text: "a over b" },
    ),
    say("boxed"),
    { type: "footnote", id: "1", blocks: [say("a note")] },
  ]);
});

test("headers are read only when asked for, comments are told", async () => {
  const list = [record(hwpTag.list, 2, longs(1, 0)), paragraph({ text: "said\r", level: 2 })];
  const text = paragraph({
    text: "\u0010\u000fx\r",
    controls: [control("head", { below: list }), control("tcmt", { below: list })],
  });

  expect(await read(makeHwp([text]))).toEqual({ blocks: [say("x")], warnings: ["Comments were left out (1)."] });
  expect((await read(makeHwp([text]), { headersFooters: "keep" })).blocks).toEqual([say("said"), say("x")]);
});

test("encrypted documents are refused", async () => {
  await expect(read(makeHwp([paragraph({ text: "x\r" })], 3))).rejects.toMatchObject({
    reason: "ENCRYPTION_UNSUPPORTED",
  });
});
