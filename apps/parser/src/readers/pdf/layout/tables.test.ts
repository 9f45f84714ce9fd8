import { describe, expect, test } from "vitest";
import type { TableRow } from "../../../document/document.ts";
import type { Rule } from "../page-content.ts";
import { lineAt, pageOf } from "./geometry.fixture.ts";
import { findTables } from "./tables.ts";

const across = (top: number, left = 50, right = 350): Rule => ({ left, right, top, bottom: top, isHorizontal: true });
const down = (left: number, top: number, bottom: number): Rule => ({
  left,
  right: left,
  top,
  bottom,
  isHorizontal: false,
});
const row = (baseline: number, cells: readonly string[], step = 100) =>
  cells.flatMap((cell, index) => (cell === "" ? [] : [lineAt(cell, { left: 55 + index * step, baseline })]));

function read(
  lines: ReturnType<typeof lineAt>[],
  rules: readonly Rule[],
): { rows: readonly TableRow[] | undefined; headerRowCount: number | undefined; rest: number } {
  const { tables, rest } = findTables(pageOf(lines, { rules }), lines, new Set());
  return { rows: tables[0]?.table.rows, headerRowCount: tables[0]?.table.headerRowCount, rest: rest.length };
}

describe("tables", () => {
  const head = row(112, ["Group", "Dose", "Count"]);
  const body = [...row(132, ["I", "2 mg", "14"]), ...row(146, ["II", "4 mg", "9"]), ...row(160, ["III", "8 mg", "3"])];
  const rules = [across(100), across(118), across(166)];

  test("three lines across make a table with a head", () => {
    expect(read([...head, ...body], rules)).toEqual({
      rows: [
        ["Group", "Dose", "Count"],
        ["I", "2 mg", "14"],
        ["II", "4 mg", "9"],
        ["III", "8 mg", "3"],
      ],
      headerRowCount: 1,
      rest: 0,
    });
  });

  test("text outside the lines stays text", () => {
    expect(read([lineAt("Text above.", { left: 55, baseline: 60 }), ...head, ...body], rules).rest).toBe(1);
  });

  test("lines drawn cell by cell, a little apart, are one line", () => {
    const pieces = [100, 118, 166].flatMap((top) => [
      across(top, 50, 150),
      across(top + 0.4, 150, 250),
      across(top, 250, 350),
    ]);
    expect(read([...head, ...body], pieces).rows).toHaveLength(4);
  });

  test("a heading over two columns spans them", () => {
    const spanner = [lineAt("Both columns of these", { left: 160, baseline: 98 })];
    const { rows } = read([...spanner, ...head, ...body], [across(86), across(118), across(166)]);
    expect(rows?.[0]).toEqual([
      { blocks: [{ type: "paragraph", inlines: ["Group"] }], rowSpan: 2 },
      { blocks: [{ type: "paragraph", inlines: ["Both columns of these"] }], columnSpan: 2 },
    ]);
    expect(rows?.[1]).toEqual(["Dose", "Count"]);
  });

  test("a grid gives one row between two lines, whatever the lines of its cells", () => {
    const cells = [
      ...row(112, ["Name", "Text"], 150),
      ...row(132, ["A", "first part"], 150),
      ...row(144, ["", "second part"], 150),
      ...row(160, ["B", "other"], 150),
    ];
    const grid = [
      across(100),
      across(118),
      across(148),
      across(166),
      down(50, 100, 166),
      down(200, 100, 166),
      down(350, 100, 166),
    ];
    expect(read(cells, grid).rows).toEqual([
      ["Name", "Text"],
      ["A", "first part second part"],
      ["B", "other"],
    ]);
  });

  test("a cell set in the middle of a row of two lines belongs to that row", () => {
    const middle = [
      ...row(132, ["", "2 mg", "14"]),
      ...row(137, ["I", "", ""]),
      ...row(142, ["", "daily", "(100%)"]),
      ...row(160, ["II", "4 mg", "9"]),
    ];
    expect(read([...head, ...middle], rules).rows?.slice(1)).toEqual([
      ["I", "2 mg daily", "14 (100%)"],
      ["II", "4 mg", "9"],
    ]);
  });

  test("a missing cell leaves its place empty", () => {
    const { rows } = read([...head, ...body, ...row(174, ["IV", "", "7"])], [across(100), across(118), across(180)]);
    expect(rows?.[4]).toEqual(["IV", "", "7"]);
  });

  test("two columns of running text between two lines are no table", () => {
    const prose = Array.from({ length: 10 }, (_, index) => index * 12 + 120).flatMap((baseline) => [
      lineAt("many words of text that run", { left: 50, baseline }),
      lineAt("other words of text that run", { left: 210, baseline }),
    ]);
    expect(read(prose, [across(100), across(260)])).toEqual({ rows: undefined, headerRowCount: undefined, rest: 20 });
  });

  test("a column of running text beside a table is no part of one", () => {
    const prose = Array.from({ length: 8 }, (_, index) =>
      lineAt("many words of text that run", { left: 50, baseline: 120 + index * 12 }),
    );
    const cells = Array.from({ length: 40 }, (_, index) =>
      lineAt("9.5", { left: 220 + (index % 5) * 25, baseline: 120 + Math.floor(index / 5) * 12 }),
    );
    const { rows, rest } = read([...prose, ...cells], [across(100), across(260)]);
    expect(rows).toEqual(Array.from({ length: 8 }, () => Array.from({ length: 5 }, () => "9.5")));
    expect(rest).toBe(8);
  });

  test("a frame around a paragraph is no table", () => {
    const boxed = [
      lineAt("one line of a boxed text", { left: 55, baseline: 115 }),
      lineAt("and another line of it", { left: 55, baseline: 127 }),
      lineAt("and the last", { left: 55, baseline: 139 }),
    ];
    expect(read(boxed, [across(100), across(150), down(50, 100, 150), down(350, 100, 150)]).rows).toBeUndefined();
  });

  const span = (text: string, rest: { columnSpan?: number; rowSpan?: number }) => ({
    blocks: [{ type: "paragraph", inlines: [text] }],
    ...rest,
  });

  test("cells of a grid without a line between them are one", () => {
    const grid = [
      across(100, 50, 350),
      across(120, 150, 350),
      across(140, 50, 350),
      across(160, 50, 350),
      down(50, 100, 160),
      down(150, 100, 160),
      down(250, 120, 160),
      down(350, 100, 160),
    ];
    const cells = [
      lineAt("Name", { left: 60, baseline: 124 }),
      lineAt("Both", { left: 240, baseline: 114 }),
      ...row(134, ["", "One", "Two"]),
      ...row(154, ["A", "1", "2"]),
    ];
    expect(read(cells, grid)).toEqual({
      rows: [
        [span("Name", { rowSpan: 2 }), span("Both", { columnSpan: 2 })],
        ["One", "Two"],
        ["A", "1", "2"],
      ],
      headerRowCount: 2,
      rest: 0,
    });
  });

  test("rows of numbers within one row of a grid are rows, and a cell in their middle spans them", () => {
    const grid = [
      ...[100, 120, 150, 180].map((top) => across(top)),
      ...[50, 130, 200, 270, 350].map((at) => down(at, 100, 180)),
    ];
    const at = (baseline: number, cells: readonly string[]) =>
      cells.flatMap((cell, index) => (cell === "" ? [] : [lineAt(cell, { left: 60 + index * 75, baseline })]));
    const lines = [
      ...at(114, ["Layers", "One", "Two", "Three"]),
      ...at(132, ["", "0.9", "0.8", "0.7"]),
      lineAt("6", { left: 60, baseline: 138 }),
      ...at(144, ["", "0.6", "0.5", "0.4"]),
      ...at(162, ["", "1.9", "1.8", "1.7"]),
      lineAt("4", { left: 60, baseline: 168 }),
      ...at(174, ["", "1.6", "1.5", "1.4"]),
    ];
    expect(read(lines, grid).rows?.slice(1)).toEqual([
      [span("6", { rowSpan: 2 }), "0.9", "0.8", "0.7"],
      ["0.6", "0.5", "0.4"],
      [span("4", { rowSpan: 2 }), "1.9", "1.8", "1.7"],
      ["1.6", "1.5", "1.4"],
    ]);
  });

  test("edges of shaded rows are lines", () => {
    const shades = [100, 136].map((top) => ({ left: 50, right: 350, top, bottom: top + 18 }));
    const lines = [
      ...row(112, ["Group", "Dose", "Count"]),
      ...row(130, ["I", "2 mg", "14"]),
      ...row(148, ["II", "4 mg", "9"]),
    ];
    const { tables } = findTables(pageOf(lines, { rules: [across(172)], shades }), lines, new Set());
    expect(tables[0]?.table.rows).toEqual([
      ["Group", "Dose", "Count"],
      ["I", "2 mg", "14"],
      ["II", "4 mg", "9"],
    ]);
  });

  test("a line under a heading tells the columns that it stands over", () => {
    const lines = [
      lineAt("Yield", { left: 160, baseline: 96 }),
      ...row(112, ["Plant", "wet", "dry"]),
      ...row(132, ["I", "14", "12"]),
      ...row(146, ["II", "9", "8"]),
      ...row(160, ["III", "3", "2"]),
    ];
    expect(read(lines, [across(86), across(100, 150, 350), across(118), across(166)]).rows?.slice(0, 2)).toEqual([
      [span("Plant", { rowSpan: 2 }), span("Yield", { columnSpan: 2 })],
      ["wet", "dry"],
    ]);
  });

  test("a cell between two rows spans them", () => {
    const lines = [
      ...row(112, ["Plant", "Part", "Yield"]),
      ...row(132, ["", "root", "14"]),
      lineAt("I", { left: 55, baseline: 139 }),
      ...row(146, ["", "leaf", "9"]),
      ...row(160, ["", "root", "3"]),
      lineAt("II", { left: 55, baseline: 167 }),
      ...row(174, ["", "leaf", "2"]),
    ];
    expect(read(lines, [across(100), across(118), across(180)]).rows?.slice(1, 3)).toEqual([
      [span("I", { rowSpan: 2 }), "root", "14"],
      ["leaf", "9"],
    ]);
  });

  test("notes between the last two lines are text", () => {
    const note = lineAt("Values are means of three measurements of each of the groups", { left: 55, baseline: 180 });
    const { rows, rest } = read([...head, ...body, note], [...rules, across(190)]);
    expect([rows?.length, rest]).toEqual([4, 1]);
  });

  describe("without lines", () => {
    const numbers = Array.from({ length: 5 }, (_, index) =>
      row(120 + index * 14, [`Group ${index}`, `${index}.5`, `${index * 7}`]),
    );

    test("columns of numbers are a table", () => {
      expect(read([...row(106, ["Name", "Mean", "Sum"]), ...numbers.flat()], [])).toMatchObject({
        rows: [["Name", "Mean", "Sum"], ["Group 0", "0.5", "0"], {}, {}, {}, ["Group 4", "4.5", "28"]],
        rest: 0,
      });
    });

    test("names beside names are none", () => {
      const names = Array.from({ length: 5 }, (_, index) => row(120 + index * 14, ["Ann Lee", "Bo Chen", "Cy Roe"]));
      expect(read(names.flat(), []).rows).toBeUndefined();
    });

    test("a table of contents is none", () => {
      const entries = Array.from({ length: 5 }, (_, index) =>
        row(120 + index * 14, [`${index}.`, "Chapter", `${index * 7}`]),
      );
      expect(read(entries.flat(), []).rows).toBeUndefined();
    });

    test("numbers on a picture are none", () => {
      const lines = numbers.flat();
      const pictures = [{ left: 40, top: 90, right: 400, bottom: 300 }];
      expect(findTables(pageOf(lines, { pictures }), lines, new Set()).tables).toEqual([]);
    });

    test("a caption makes columns of words a table", () => {
      const lines = [
        lineAt("Table 1. Names", { left: 55, baseline: 100 }),
        ...row(120, ["Ann Lee", "Bonn"]),
        ...row(134, ["Bo Chen", "Paris"]),
        ...row(148, ["Cy Roe", "Rome"]),
      ];
      expect(read(lines, []).rows).toEqual([
        ["Ann Lee", "Bonn"],
        ["Bo Chen", "Paris"],
        ["Cy Roe", "Rome"],
      ]);
    });
  });
});
