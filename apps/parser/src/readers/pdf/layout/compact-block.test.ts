import { expect, test } from "vitest";
import { compactBlock } from "./compact-block.ts";
import type { Passage } from "./passage.ts";
import type { PlacedTable } from "./to-blocks.ts";

const box = { left: 1.5, top: 2, right: 30, bottom: 40, page: 3 };
const look = {
  fontName: "F",
  size: 9.96,
  isBold: false,
  isItalic: false,
  isMonospaced: true,
  isCapitals: false,
};

test("a passage stays what it is, half characters included", () => {
  const inlines = ["A \u2028 wörd \ud800", { type: "superscript" as const, inlines: ["1"] }];
  const passage: Passage = {
    ...box,
    kind: "text",
    inlines,
    text: "A \u2028 wörd \ud8001",
    lineCount: 1,
    look,
    codeText: "a\n b",
  };
  expect(compactBlock(passage)).toStrictEqual(passage);
});

test("a table stays what it is", () => {
  const cell = { blocks: [{ type: "paragraph" as const, inlines: ["x"] }], columnSpan: 2 };
  const table: PlacedTable = {
    ...box,
    kind: "table",
    rows: [["a", cell]],
    headerRowCount: 1,
    letterCount: 2,
    caption: ["Table 1"],
  };
  expect(compactBlock(table)).toStrictEqual(table);
});
