import { expect, test } from "vitest";
import { countBlocks } from "./count-blocks.ts";
import { countCodePoints } from "./count-code-points.ts";
import { documentText } from "./document-text.ts";
import type { Block, Inline } from "./document.ts";
import { normaliseDocument } from "./normalise-document.ts";

function normalise(...blocks: Block[]): readonly Block[] {
  return normaliseDocument({ metadata: {}, blocks }).blocks;
}

function inlinesOf(...inlines: Inline[]): readonly Inline[] {
  const [block] = normalise({ type: "paragraph", inlines });
  return block?.type === "paragraph" ? block.inlines : [];
}

test.each([
  [" a \u00a0 b\n c ", "a b c"],
  ["e\u0301", "é"],
  ["of\u00adfice ﬁle", "office file"],
  ["a\u200bb\ufeffc\u0000d\ud800e", "abcde"],
  ["می\u200cخواهم", "می\u200cخواهم"],
  ["क्\u200dष", "क्\u200dष"],
  ["👩\u200d💻", "👩\u200d💻"],
  ["a\u200db", "ab"],
  ["⼈", "人"],
  ["标题\u3000内容", "标题\u3000内容"],
])("%j becomes %j", (text, expected) => {
  expect(inlinesOf(text)).toEqual([expected]);
});

test("spaces move out of styles, neighbours join, and nothing empty stays", () => {
  const strong = (...inlines: Inline[]): Inline => ({ type: "strong", inlines });

  expect(inlinesOf("a", strong(" b "), strong("c", strong("d")), strong(), " ")).toEqual(["a ", strong("b cd")]);
  expect(inlinesOf({ type: "lineBreak" }, "a", strong({ type: "lineBreak" }), "b")).toEqual([
    "a",
    { type: "lineBreak" },
    "b",
  ]);
  expect(inlinesOf({ type: "superscript", inlines: [{ type: "noteReference", id: "9" }] })).toEqual([
    { type: "superscript", inlines: ["9"] },
  ]);
});

test("what is normal already is not copied", () => {
  const table: Block = { type: "table", headerRowCount: 1, rows: [["a", "b"]] };
  const blocks = [{ type: "paragraph", inlines: ["plain text"] }, table] as const;

  expect(normaliseDocument({ metadata: {}, blocks }).blocks).toBe(blocks);
});

test("empty blocks go, but not the numbers of an ordered list", () => {
  const items = [{ blocks: [] }, { blocks: [{ type: "paragraph", inlines: ["a"] }] }] as const;

  expect(normalise({ type: "heading", level: 1, inlines: [" "] }, { type: "quote", blocks: [] })).toEqual([]);
  expect(normalise({ type: "table", headerRowCount: 0, rows: [["", " "]] }, { type: "code", text: "\n" })).toEqual([]);
  expect(normalise({ type: "list", ordered: true, items })).toEqual([{ type: "list", ordered: true, items }]);
  expect(normalise({ type: "list", ordered: false, items })).toEqual([
    { type: "list", ordered: false, items: [items[1]] },
  ]);
});

test("notes get ids of their own", () => {
  const note = (text: string): Block => ({
    type: "footnote",
    id: "a b",
    blocks: [{ type: "paragraph", inlines: [text] }],
  });

  expect(normalise(note("x"), note("y")).map((block) => block.type === "footnote" && block.id)).toEqual([
    "a-b",
    "a-b-2",
  ]);
});

test("blocks and inlines nested without end keep their text", () => {
  let blocks: readonly Block[] = [{ type: "paragraph", inlines: ["deep"] }];
  for (let depth = 0; depth < 50_000; depth++) blocks = [{ type: "quote", blocks }];
  let inline: Inline = "word";
  for (let depth = 0; depth < 50_000; depth++)
    inline = { type: depth % 2 === 0 ? "strong" : "emphasis", inlines: [inline] };

  expect([...documentText(normalise(...blocks, { type: "paragraph", inlines: [inline] }))]).toEqual(["deep", "word"]);
  expect(countBlocks(blocks)).toBe(50_001);
});

test("code points are counted, not code units", () => {
  expect(countCodePoints("a😀\ud800é")).toBe(4);
  expect(countCodePoints("")).toBe(0);
});
