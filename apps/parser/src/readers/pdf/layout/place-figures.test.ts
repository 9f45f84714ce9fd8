import { describe, expect, test } from "vitest";
import { passageOf } from "./geometry.fixture.ts";
import { placeFigures } from "./place-figures.ts";

const [left, right, below, next] = [
  passageOf("left column", { left: 50, right: 300, top: 100, bottom: 300 }),
  passageOf("right column", { left: 320, right: 560, top: 100, bottom: 200 }),
  passageOf("right column, below", { left: 320, right: 560, top: 500, bottom: 600 }),
  passageOf("next page", { page: 2, left: 50, right: 300, top: 400, bottom: 500 }),
];
const blocks = [left, right, below, next].filter((block) => block !== undefined);
const figure = (box: readonly [number, number, number, number], page = 1) => {
  const [x1, top, x2, bottom] = box;
  return { alt: "A chart", page, left: x1, top, right: x2, bottom };
};
const anchorOn = (...given: Parameters<typeof figure>) => [...placeFigures(blocks, [figure(...given)]).keys()][0];

describe("places of figures", () => {
  test("behind the nearest block above it in its column", () => {
    expect(anchorOn([320, 210, 560, 480])).toBe(right);
    expect(anchorOn([50, 310, 300, 480])).toBe(left);
  });

  test("behind the block in which it lies", () => {
    expect(anchorOn([400, 520, 450, 550])).toBe(below);
  });

  test("at the head of a page behind the pages before it", () => {
    expect(anchorOn([50, 50, 300, 390], 2)).toBe(below);
    expect(anchorOn([50, 10, 300, 90])).toBe(left);
  });
});
