import { describe, expect, test } from "vitest";
import { textOfInlines } from "../containers/opc-inlines.ts";
import type { Block, TableCell } from "../document/document.ts";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { parseCellRange, parseCellReference } from "./cell-reference.ts";
import { SheetBuilder } from "./sheet-builder.ts";
import { workbookToDocument } from "./workbook-to-document.ts";

type Cells = Readonly<Record<string, string>>;

interface Setup {
  readonly merges?: readonly string[];
  readonly tables?: readonly string[];
  readonly prepare?: (builder: SheetBuilder) => void;
  readonly maxTableCells?: number;
}

function blocksOf(cells: Cells, { merges = [], tables = [], prepare, maxTableCells }: Setup = {}): Block[] {
  const budget = new Budget({ ...defaultLimits, ...(maxTableCells !== undefined && { maxTableCells }) });
  const builder = new SheetBuilder("Sheet", { budget, characters: 0 });
  prepare?.(builder);
  for (const [reference, value] of Object.entries(cells)) {
    const place = parseCellReference(reference);
    if (place === undefined) throw new Error(reference);
    builder.startRow(place.row, false);
    builder.addCell(place.column, value);
  }
  for (const merge of merges) builder.addMerge(rangeOf(merge));
  for (const table of tables) builder.addTable({ range: rangeOf(table), headerRowCount: 1 });
  const sheets = [{ name: "Sheet", isHidden: false, build: () => builder }];
  const { blocks } = workbookToDocument({ metadata: {}, sheets }, { budget, pages: [], warn: () => undefined });
  return blocks.slice(2);
}

function rangeOf(text: string) {
  const range = parseCellRange(text);
  if (range === undefined) throw new Error(text);
  return range;
}

function textOf(cell: TableCell): string {
  if (typeof cell === "string") return cell;
  const span = (cell.rowSpan ?? 1) * (cell.columnSpan ?? 1) > 1 ? `[${cell.rowSpan ?? 1}x${cell.columnSpan ?? 1}]` : "";
  return `${span}${cell.blocks.map((block) => (block.type === "paragraph" ? textOfInlines(block.inlines) : block.type)).join(" ")}`;
}

function outline(blocks: readonly Block[]): string[] {
  return blocks.map((block) =>
    block.type === "table"
      ? `${block.headerRowCount}: ${block.rows.map((row) => row.map(textOf).join("|")).join(" / ")}`
      : block.type === "paragraph"
        ? textOfInlines(block.inlines)
        : block.type,
  );
}

describe("regions of a sheet", () => {
  test("tables with an empty row or column between them are several", () => {
    const blocks = blocksOf({
      A1: "a",
      B1: "b",
      A2: "c",
      B2: "d",
      E1: "e",
      F1: "f",
      E2: "g",
      F2: "h",
      A5: "i",
      B5: "j",
    });

    expect(outline(blocks)).toEqual(["1: a|b / c|d", "1: e|f / g|h", "1: i|j"]);
  });

  test("gaps inside a table do not break it", () => {
    const blocks = blocksOf({ A1: "a", B1: "b", C1: "c", A2: "d", C2: "e", B3: "f", A4: "g" });

    expect(outline(blocks)).toEqual(["1: a|b|c / d||e / |f| / g||"]);
  });

  test("rectangles that meet at a corner stay apart", () => {
    const blocks = blocksOf({ A1: "a", B1: "b", A2: "c", B2: "d", C3: "e", D3: "f", C4: "g", D4: "h" });

    expect(outline(blocks)).toEqual(["1: a|b / c|d", "1: e|f / g|h"]);
  });

  test("a label and its value with a narrow gap are one row", () => {
    const blocks = blocksOf({ A1: "Voltage", C1: "kV", D1: "130", A2: "Phases", C2: "n", D2: "3" });

    expect(outline(blocks)).toEqual(["1: Voltage|kV|130 / Phases|n|3"]);
  });

  test("a title over a table is a paragraph before it, and a lone cell is a paragraph", () => {
    const blocks = blocksOf({ A1: "Title", A2: "a", B2: "b", A3: "c", B3: "d", F9: "alone" }, { merges: ["A1:B1"] });

    expect(outline(blocks)).toEqual(["Title", "1: a|b / c|d", "alone"]);
  });

  test("a declared table stands by itself whatever touches it", () => {
    const blocks = blocksOf({ A1: "above", A2: "h", B2: "i", A3: "1", B3: "2", A4: "below" }, { tables: ["A2:B3"] });

    expect(outline(blocks)).toEqual(["above", "1: h|i / 1|2", "below"]);
  });

  test("a column of sentences is text and not a table", () => {
    const sentence = "This sheet explains, at some length, what the other sheets of this workbook hold and why.";

    expect(outline(blocksOf({ A1: sentence, A2: sentence }))).toEqual([sentence, sentence]);
  });
});

describe("header rows", () => {
  test("a first row of the same kinds as the others is no header", () => {
    expect(outline(blocksOf({ A1: "x", B1: "1", A2: "y", B2: "2", A3: "z", B3: "3" }))[0]).toMatch(/^0:/);
  });

  test("numbers that only the first row has are headers, such as years", () => {
    expect(outline(blocksOf({ A1: "2023", B1: "2024", A2: "y", B2: "n", A3: "z", B3: "m" }))[0]).toMatch(/^1:/);
  });

  test("groups of columns make two header rows", () => {
    const blocks = blocksOf(
      { A1: "name", B1: "group", A2: "", B2: "low", C2: "high", A3: "x", B3: "1", C3: "2" },
      { merges: ["A1:A2", "B1:C1"] },
    );

    expect(outline(blocks)).toEqual(["2: [2x1]name|[1x2]group / low|high / x|1|2"]);
  });
});

describe("hidden rows and columns", () => {
  test("leave no gap and move merged cells", () => {
    const blocks = blocksOf(
      { A1: "a", B1: "hidden", C1: "c", A2: "wide", A3: "d", C3: "e" },
      { merges: ["A2:C2"], prepare: (builder) => builder.hideColumns(1, 1) },
    );

    expect(outline(blocks)).toEqual(["1: a|c / [1x2]wide / d|e"]);
  });
});

describe("hostile sheets", () => {
  test("a cell in the last corner costs no more than any other", () => {
    expect(outline(blocksOf({ A1: "first", XFD1048576: "last" }, { maxTableCells: 10 }))).toEqual(["first", "last"]);
  });

  test("a merge of the whole sheet covers only what is filled", () => {
    const blocks = blocksOf({ A1: "a", B2: "b" }, { merges: ["A1:XFD1048576"], maxTableCells: 10 });

    expect(outline(blocks)).toEqual(["1: [2x2]a / "]);
  });

  test("merges that overlap are ignored after the first", () => {
    const blocks = blocksOf({ A1: "a", B1: "b", A2: "c", B2: "d" }, { merges: ["A1:B1", "A1:A2", "B1:B2"] });

    expect(outline(blocks)).toEqual(["1: [1x2]a / c|d"]);
  });

  test("a flood of merges ends", () => {
    const merges = Array.from({ length: 2000 }, () => "A1:C1048576");
    const blocks = blocksOf({ A1: "a", C900000: "z" }, { merges, maxTableCells: 1_000 });

    expect(outline(blocks)[0]).toContain("a");
  });

  test("cells on a diagonal with whole edges need their padding allowed", () => {
    const cells: Record<string, string> = {};
    for (let row = 1; row <= 200; row++) cells[`A${row}`] = "x";
    for (let column = 0; column < 26; column++) cells[`${String.fromCharCode(65 + column)}1`] = "x";

    expect(() => blocksOf(cells, { maxTableCells: 1_000 })).toThrow(/LIMIT_EXCEEDED.*PARSER_MAX_TABLE_CELLS/);
  });

  test("more islands than can be told apart are cut at empty rows", () => {
    const cells: Record<string, string> = {};
    for (let row = 0; row < 700; row++) cells[`${row % 2 === 0 ? "A" : "C"}${row + 1}`] = "x";
    for (let row = 0; row < 10; row++) cells[`A${800 + 2 * row}`] = "y";

    expect(blocksOf(cells).length).toBe(11);
  });

  test("the text of all cells is bounded, however often one string is named", () => {
    const long = "x".repeat(1 << 20);
    const many = (builder: SheetBuilder): void => {
      for (let row = 0; row < 1000; row++) {
        builder.startRow(row, false);
        builder.addCell(0, long);
      }
    };

    expect(() => blocksOf({}, { prepare: many })).toThrow(/OUTPUT_TOO_LARGE/);
  });

  test("rows and cells in disorder come out in order, the last value of a cell counts", () => {
    expect(outline(blocksOf({ B2: "d", A2: "c", B1: "b", A1: "a", a2: "C" }))).toEqual(["1: a|b / C|d"]);
  });
});
