import { describe, expect, test } from "vitest";
import { findSlant } from "./find-slant.ts";
import { findInk } from "./ink.ts";
import { pageOfBars } from "./page-of-bars.fixture.ts";
import { straightenPicture } from "./straighten-picture.ts";
import { mirrorPicture, type QuarterTurn, turnPicture } from "./turn-picture.ts";

const slantOf = (picture: ReturnType<typeof pageOfBars>) => findSlant(findInk(picture));

describe("findSlant", () => {
  test("a page whose lines lie level is straight", () => {
    expect(slantOf(pageOfBars())).toMatchObject({ isSideways: false, degrees: 0 });
  });

  test.each([1, 3] as const)("a page turned by %i quarters has lines that run up and down", (turn) => {
    const slant = slantOf(turnPicture(pageOfBars(), turn));
    expect(slant).toMatchObject({ isSideways: true, degrees: 0 });
    expect(slant.certainty).toBeGreaterThan(2);
  });

  test.each([-7, -2.5, -0.6, 0.8, 3, 8.2])(
    "lines that fall by %f degrees are found, and lie level afterwards",
    (degrees) => {
      const slanted = straightenPicture(pageOfBars(), -degrees);
      const slant = slantOf(slanted);
      expect(slant.degrees).toBeCloseTo(degrees, 0);
      expect(Math.abs(slantOf(straightenPicture(slanted, slant.degrees)).degrees)).toBeLessThanOrEqual(0.3);
    },
  );

  test.each([1, 3] as const)("the slant of a page turned by %i quarters is that of the page set upright", (turn) => {
    const slanted = straightenPicture(pageOfBars(), -2);
    const back = (4 - turn) as QuarterTurn;
    const slant = slantOf(turnPicture(slanted, back));
    expect(slant.isSideways).toBe(true);
    expect(slant.degrees).toBeCloseTo(2, 0);
  });

  test("a page without ink has no slant", () => {
    const pixels = new Uint8Array(100).fill(255);
    expect(slantOf({ width: 10, height: 10, pixels, dpi: 100 })).toMatchObject({ degrees: 0, certainty: 1 });
  });
});

describe("turnPicture", () => {
  const picture = { width: 3, height: 2, pixels: Uint8Array.of(1, 2, 3, 4, 5, 6), dpi: 100 };

  test("turns clockwise", () => {
    expect(turnPicture(picture, 1)).toEqual({ width: 2, height: 3, pixels: Uint8Array.of(4, 1, 5, 2, 6, 3), dpi: 100 });
    expect(turnPicture(picture, 2)).toEqual({ ...picture, pixels: Uint8Array.of(6, 5, 4, 3, 2, 1) });
    expect(turnPicture(picture, 3)).toEqual({ width: 2, height: 3, pixels: Uint8Array.of(3, 6, 2, 5, 1, 4), dpi: 100 });
    expect(turnPicture(turnPicture(picture, 1), 3)).toEqual(picture);
  });

  test("a mirrored picture has its left side right", () => {
    expect(mirrorPicture(picture).pixels).toEqual(Uint8Array.of(3, 2, 1, 6, 5, 4));
  });
});
