import { describe, expect, test } from "vitest";
import { plainText } from "./compose-inlines.ts";
import { passageOf } from "./geometry.fixture.ts";
import { tieCaptions } from "./table-captions.ts";
import { isTableCaption } from "./table-caption-line.ts";
import type { PlacedBlock, PlacedTable } from "./to-blocks.ts";

const table: PlacedTable = {
  kind: "table",
  page: 1,
  rows: [["a", "b"]],
  headerRowCount: 1,
  letterCount: 2,
  left: 50,
  top: 200,
  right: 300,
  bottom: 260,
};
const at = (text: string, top: number, bottom = top + 10) => passageOf(text, { top, bottom, lineCount: 1 });
const told = (blocks: readonly PlacedBlock[]) =>
  tieCaptions(blocks).map((block) =>
    block.kind === "table" ? { caption: block.caption && plainText(block.caption) } : block.text,
  );

describe("captions of tables", () => {
  test("the caption above belongs to the table", () => {
    expect(told([at("Table 2. Doses", 185), table])).toEqual([{ caption: "Table 2. Doses" }]);
  });

  test("a label and the title under it make one caption", () => {
    expect(told([at("Table 2", 170), at("Doses of the drug", 183), table])).toEqual([
      { caption: "Table 2 Doses of the drug" },
    ]);
  });

  test("the caption may stand below", () => {
    expect(told([at("Text.", 150), table, at("Tabelle 3: Werte", 265)])).toEqual([
      "Text.",
      { caption: "Tabelle 3: Werte" },
    ]);
  });

  test("text and far captions stay where they are", () => {
    expect(told([at("Table 2. Doses", 100), at("Text before it.", 180), table, at("Note: n = 3", 262)])).toEqual([
      "Table 2. Doses",
      "Text before it.",
      { caption: undefined },
      "Note: n = 3",
    ]);
  });

  test("a caption between two tables belongs to the one below it", () => {
    const second = { ...table, top: 300, bottom: 350 };
    expect(told([table, at("Table 2. Doses", 275), second])).toEqual([
      { caption: undefined },
      { caption: "Table 2. Doses" },
    ]);
  });

  test.each([
    "Table 1",
    "TABLE IV. Names",
    "Tab. 3: x",
    "Tableau 2",
    "Table S1.",
    "表 1 数据",
    "Supplementary Table 4",
    "T able 1: Continued.",
  ])("%s begins a caption", (text) => expect(isTableCaption(text)).toBe(true));

  test.each(["Tables are", "Table salt", "Tablets 20 mg", "Tab key", "A table 1"])("%s begins none", (text) =>
    expect(isTableCaption(text)).toBe(false),
  );
});
