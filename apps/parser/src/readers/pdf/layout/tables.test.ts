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
      "",
      { blocks: [{ type: "paragraph", inlines: ["Both columns of these"] }], columnSpan: 2 },
    ]);
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
    expect(read([...prose, ...cells], [across(100), across(260)]).rows).toBeUndefined();
  });

  test("a frame around a paragraph is no table", () => {
    const boxed = [
      lineAt("one line of a boxed text", { left: 55, baseline: 115 }),
      lineAt("and another line of it", { left: 55, baseline: 127 }),
      lineAt("and the last", { left: 55, baseline: 139 }),
    ];
    expect(read(boxed, [across(100), across(150), down(50, 100, 150), down(350, 100, 150)]).rows).toBeUndefined();
  });
});
