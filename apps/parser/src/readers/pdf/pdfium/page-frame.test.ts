import { describe, expect, test } from "vitest";
import { multiply, transformBox, turnMatrix } from "./page-frame.ts";

const page = { width: 600, height: 800 };

describe("frames", () => {
  test.each([
    [0, [10, 20]],
    [1, [20, 590]],
    [2, [590, 780]],
    [3, [780, 10]],
  ] as const)("turn %i takes a point of the page to its upright frame", (turn, point) => {
    const box = transformBox(turnMatrix(turn, page), { left: 10, top: 20, right: 10, bottom: 20 });
    expect([box.left, box.top]).toEqual(point);
  });

  test("a product of matrices applies the inner one first", () => {
    expect(multiply([2, 0, 0, 2, 0, 0], [1, 0, 0, 1, 5, 7])).toEqual([2, 0, 0, 2, 5, 7]);
    expect(multiply([1, 0, 0, 1, 5, 7], [2, 0, 0, 2, 0, 0])).toEqual([2, 0, 0, 2, 10, 14]);
  });
});
