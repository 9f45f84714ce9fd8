import { expect, test } from "vitest";
import { attachMarks } from "./attach-marks.ts";
import { lineAt, textOf } from "./geometry.fixture.ts";

test("a bullet before a tab is put on the line of its text", () => {
  const above = lineAt("text of the column", { left: 10, baseline: 88 });
  const lines = [above, lineAt("•", { left: 10 }), lineAt("the item", { left: 30 })];
  const next = lineAt("goes on", { left: 30, baseline: 112 });
  expect(attachMarks([...lines, next]).map(textOf)).toEqual(["text of the column", "• the item", "goes on"]);
});

test("a mark far away from any text, or on another line, stays alone", () => {
  const far = [lineAt("1.", { left: 10 }), lineAt("a cell", { left: 90 })];
  const below = [lineAt("•", { left: 10 }), lineAt("text", { left: 30, baseline: 108 })];
  expect([...attachMarks(far), ...attachMarks(below)].map(textOf)).toEqual(["1.", "a cell", "•", "text"]);
});

test("marks above one another make a list without any text around it", () => {
  const item = (baseline: number) => [lineAt("1.", { left: 10, baseline }), lineAt("the item", { left: 35, baseline })];
  expect(attachMarks([...item(100), ...item(112)]).map(textOf)).toEqual(["1. the item", "1. the item"]);
  expect(attachMarks(item(100)).map(textOf)).toEqual(["1.", "the item"]);
});

test("the number of an equation is no mark of the text in the next column", () => {
  const row = (baseline: number) => [
    lineAt("(1)", { left: 100, baseline }),
    lineAt("the text", { left: 135, baseline }),
  ];
  expect(attachMarks([...row(100), ...row(112)]).map(textOf)).toEqual(["(1)", "the text", "(1)", "the text"]);
});

test("a dash within a formula is no mark", () => {
  const formula = [
    lineAt("the whole formula is", { left: 10, baseline: 88 }),
    lineAt("x", { left: 10 }),
    lineAt("–", { left: 20 }),
  ];
  expect(attachMarks([...formula, lineAt("y times z", { left: 40 })]).map(textOf)).toContain("–");
});

test("columns of signs are no marks of one another", () => {
  const text = lineAt("text of the column", { left: 10, baseline: 88 });
  const lines = [text, lineAt("✓", { left: 10 }), lineAt("✗", { left: 30 }), lineAt("Word", { left: 50 })];
  expect(attachMarks(lines).map(textOf)).toEqual(["text of the column", "✓", "✗ Word"]);
});
