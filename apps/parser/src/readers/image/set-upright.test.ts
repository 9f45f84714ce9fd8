import { expect, test } from "vitest";
import { openLeptonica } from "./leptonica.ts";
import { makeTiff } from "./make-tiff.fixture.ts";
import { setUpright } from "./set-upright.ts";

const picture = { width: 3, height: 2, pixels: Uint8Array.of(10, 20, 30, 40, 50, 60), dpi: 100 };

// Leptonica turns the pages of TIFF files itself, by the same numbers: what it makes of them holds for Exif too.
test.each([1, 2, 3, 4, 5, 6, 7, 8])("orientation %i is what Leptonica takes it for", async (orientation) => {
  const leptonica = await openLeptonica();
  leptonica.load(makeTiff([{ ...picture, orientation }]));
  const { width, height, pixels } = setUpright(picture, orientation);
  expect(leptonica.decode()).toMatchObject({ width, height, pixels });
  leptonica.close();
});

test("an orientation that does not exist changes nothing", () => {
  expect(setUpright(picture, 0)).toBe(picture);
  expect(setUpright(picture, 9)).toBe(picture);
});
