import { describe, expect, test } from "vitest";
import { passageOf } from "./geometry.fixture.ts";
import { joinTables } from "./table-continuation.ts";
import type { PlacedTable } from "./to-blocks.ts";

const head = ["Group", "Dose"];
const table: PlacedTable = {
  kind: "table",
  page: 1,
  rows: [head, ["I", "2 mg"]],
  headerRowCount: 1,
  letterCount: 13,
  left: 50,
  top: 600,
  right: 300,
  bottom: 760,
  caption: ["Table 1. Doses"],
};
const next: PlacedTable = {
  ...table,
  page: 2,
  top: 60,
  rows: [head, ["II", "4 mg"]],
  caption: ["Table 1. (continued)"],
};
const rowsOf = (blocks: ReturnType<typeof joinTables>) =>
  blocks.flatMap((block) => (block.kind === "table" ? [block.rows.length] : []));

describe("tables over several pages", () => {
  test("a table that goes on is one, without the headings repeated", () => {
    const joined = joinTables([table, next]);
    expect(joined).toHaveLength(1);
    expect(joined[0]).toMatchObject({ rows: [head, ["I", "2 mg"], ["II", "4 mg"]], caption: ["Table 1. Doses"] });
  });

  test("it goes on over three pages", () => {
    expect(rowsOf(joinTables([table, next, { ...next, page: 3 }]))).toEqual([4]);
  });

  test("without a caption it goes on at the same place, with nothing between", () => {
    const { caption: _, ...bare } = {
      ...next,
      rows: [
        ["II", "4 mg"],
        ["III", "8 mg"],
      ],
    };
    expect(rowsOf(joinTables([table, bare]))).toEqual([4]);
    expect(rowsOf(joinTables([table, passageOf("Text between them."), bare]))).toEqual([2, 2]);
    expect(rowsOf(joinTables([table, { ...bare, left: 120 }]))).toEqual([2, 2]);
  });

  test("another number is another table, and so are other columns or a page left out", () => {
    expect(rowsOf(joinTables([table, { ...next, caption: ["Table 2. Others"] }]))).toEqual([2, 2]);
    expect(rowsOf(joinTables([table, { ...next, rows: [["a", "b", "c"]] }]))).toEqual([2, 1]);
    expect(rowsOf(joinTables([table, { ...next, page: 3 }]))).toEqual([2, 2]);
  });
});
