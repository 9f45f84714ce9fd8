import { describe, expect, test } from "vitest";
import type { TableRow } from "../../../document/document.ts";
import type { Rule } from "../page-content.ts";
import { lineAt, linesAt, pageOf } from "./geometry.fixture.ts";
import { findTables } from "./tables.ts";

const across = (top: number, left = 50, right = 350): Rule => ({ left, right, top, bottom: top, isHorizontal: true });
const down = (left: number, top: number, bottom: number): Rule => ({
  left,
  right: left,
  top,
  bottom,
  isHorizontal: false,
});
const box = (...[left, top, right, bottom]: readonly [number, number, number, number]): Rule[] => [
  across(top, left, right),
  across(bottom, left, right),
  down(left, top, bottom),
  down(right, top, bottom),
];

function rowsOf(lines: ReturnType<typeof lineAt>[], rules: readonly Rule[]): readonly TableRow[] | undefined {
  return findTables(pageOf(lines, { rules }), lines, new Set()).tables[0]?.table.rows;
}

describe("grids with lines all around", () => {
  test("rows of one column are a table, a box around text is none", () => {
    const lines = [lineAt("Services", { left: 55, baseline: 112 }), lineAt("Breakfast", { left: 55, baseline: 132 })];
    const frame = box(50, 100, 350, 140);
    expect(rowsOf(lines, [...frame, across(118)])).toEqual([["Services"], ["Breakfast"]]);
    expect(rowsOf(lines, frame)).toBeUndefined();
    // Fields of a form, one below the other.
    expect(rowsOf(lines, [...box(50, 100, 130, 140), across(118, 50, 130)])).toBeUndefined();
  });

  test("boxes around running text are none", () => {
    const text = "Words that run on from side to side of the box, as they do in text of any kind whatever";
    const lines = [
      lineAt("Box 1", { left: 55, baseline: 112 }),
      ...linesAt([text, text, text], { left: 55, baseline: 132 }),
    ];
    expect(rowsOf(lines, [...box(50, 100, 560, 170), across(118, 50, 560)])).toBeUndefined();
  });

  test("a column without text is kept", () => {
    const lines = [lineAt("Name", { left: 55, baseline: 112 }), lineAt("Signature", { left: 55, baseline: 132 })];
    const rules = [...box(50, 100, 350, 140), across(118), down(200, 100, 140)];
    expect(rowsOf(lines, rules)).toEqual([
      ["Name", ""],
      ["Signature", ""],
    ]);
  });

  test("a table within a box, and double borders, are one grid", () => {
    const lines = [
      ...["A", "B"].map((text, index) => lineAt(text, { left: 60 + index * 145, baseline: 112 })),
      ...["C", "D"].map((text, index) => lineAt(text, { left: 60 + index * 145, baseline: 132 })),
    ];
    const inner = [...box(55.5, 101, 344.5, 139), across(118, 55.5, 344.5), down(200, 101, 139)];
    expect(rowsOf(lines, [...box(50, 100, 350, 140), ...inner])).toEqual([
      ["A", "B"],
      ["C", "D"],
    ]);
  });
});

describe("grids that are none", () => {
  test("boxes tied by lines, as in a flow chart", () => {
    const lines = [
      lineAt("Found", { left: 160, baseline: 112 }),
      lineAt("Left out", { left: 260, baseline: 152 }),
      lineAt("Read", { left: 160, baseline: 192 }),
    ];
    const rules = [
      ...box(150, 100, 220, 118),
      ...box(250, 140, 320, 158),
      ...box(150, 180, 220, 198),
      down(185, 118, 180),
      across(149, 185, 250),
    ];
    expect(rowsOf(lines, rules)).toBeUndefined();
  });
});

describe("what stands in cells", () => {
  const rules = [...box(50, 100, 350, 200), across(118), down(200, 100, 200)];
  const head = ["Task", "Note"].map((text, index) => lineAt(text, { left: 55 + index * 150, baseline: 112 }));

  test("bullets and the text a tab behind them are a list", () => {
    const lines = [
      ...head,
      lineAt("Choose:", { left: 55, baseline: 132 }),
      ...["☒ Tea", "☐ Milk"].flatMap((text, index) => [
        lineAt(text.slice(0, 1), { left: 60, baseline: 146 + index * 14 }),
        lineAt(text.slice(2), { left: 78, baseline: 146 + index * 14 }),
      ]),
      lineAt("none", { left: 205, baseline: 132 }),
    ];
    const item = (text: string, isChecked: boolean) => ({
      blocks: [{ type: "paragraph", inlines: [text] }],
      isChecked,
    });
    expect(rowsOf(lines, rules)?.[1]).toEqual([
      {
        blocks: [
          { type: "paragraph", inlines: ["Choose:"] },
          { type: "list", ordered: false, items: [item("Tea", true), item("Milk", false)] },
        ],
      },
      "none",
    ]);
  });

  test("one bullet makes no list", () => {
    const lines = [...head, lineAt("• Tea", { left: 55, baseline: 132 }), lineAt("none", { left: 205, baseline: 132 })];
    expect(rowsOf(lines, rules)?.[1]).toEqual(["• Tea", "none"]);
  });

  test("an empty line parts paragraphs", () => {
    const lines = [
      ...head,
      ...[132, 144, 170].map((baseline, index) => lineAt(`part ${index + 1}`, { left: 55, baseline })),
      lineAt("none", { left: 205, baseline: 132 }),
    ];
    expect(rowsOf(lines, rules)?.[1]).toEqual([
      {
        blocks: [
          { type: "paragraph", inlines: ["part 1 part 2"] },
          { type: "paragraph", inlines: ["part 3"] },
        ],
      },
      "none",
    ]);
  });
});
