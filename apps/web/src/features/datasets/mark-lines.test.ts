import { expect, test } from "vitest";
import { markLines } from "./mark-lines.ts";

test("lines that the other text lacks are marked, commas at their ends aside", () => {
  const { before, after } = markLines('{\n"a": 1,\n"b": 2\n}', '{\n"a": 1,\n"b": 2,\n"c": 3\n}');
  expect(before.some(({ isMarked }) => isMarked)).toBe(false);
  expect(after.filter(({ isMarked }) => isMarked).map(({ text }) => text)).toEqual(['"c": 3']);
});

test("a line that stands twice is marked where the other text has it once", () => {
  expect(markLines("x\nx", "x").before.map(({ isMarked }) => isMarked)).toEqual([false, true]);
});
