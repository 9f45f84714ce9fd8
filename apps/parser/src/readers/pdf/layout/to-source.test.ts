import { expect, test } from "vitest";
import type { Turn } from "../page-content.ts";
import { toSource } from "./to-source.ts";

const block = { page: 1, left: 10, top: 20, right: 110, bottom: 40 };

test("a block of a page read as it is shown stands where it stands", () => {
  expect(toSource(block, undefined)).toEqual({ page: 1, box: [10, 20, 110, 40] });
});

test("a block of a mirrored page is shown on the other side", () => {
  const frame = { turn: 0 as Turn, isMirrored: true, width: 600, height: 800 };
  expect(toSource(block, frame).box).toEqual([490, 20, 590, 40]);
});

test.each<[Turn, number[]]>([
  [1, [560, 10, 580, 110]],
  [2, [690, 560, 790, 580]],
  [3, [20, 690, 40, 790]],
])("a block written with turn %i is shown turned", (turn, box) => {
  expect(toSource(block, { turn, isMirrored: false, width: 800, height: 600 }).box).toEqual(box);
});

test("of text that is turned against its page only the page is told", () => {
  expect(toSource({ ...block, isTurned: true }, undefined)).toEqual({ page: 1 });
});
