import { expect, test } from "vitest";
import { longs, shorts } from "./presentation.fixture.ts";
import { readMasterBullets, readTextRuns } from "./text-runs.ts";

test("every field of a look is passed over by its size", () => {
  // All masks of a paragraph: flags, character, font, size, colour, seven numbers, margins, two tab stops, three more.
  const paragraph = Buffer.concat([
    longs(3),
    shorts(2),
    longs(0x003f_fdff),
    shorts(1, 0x2022, 0, 100),
    longs(0),
    shorts(0, 100, 0, 0, 0, 0, 576),
    shorts(2, 10, 0, 20, 0),
    shorts(0, 0, 0),
  ]);
  const characters = Buffer.concat([longs(3, 0x00ef_0003), shorts(3, 4, 5, 6, 7, 18), longs(0), shorts(0xfff6)]);

  expect(readTextRuns(Buffer.concat([paragraph, characters]), 2)).toEqual({
    paragraphs: [{ count: 3, level: 2, hasBullet: true }],
    characters: [{ count: 3, isBold: true, isItalic: true, position: -10, font: 4, symbolFont: 7, style9: 0 }],
  });
});

test("levels of a master that say nothing are like those above them", () => {
  const level = (bullet?: number): Buffer =>
    Buffer.concat([
      longs(bullet === undefined ? 0 : 1),
      bullet === undefined ? Buffer.alloc(0) : shorts(bullet),
      longs(0),
    ]);

  expect(readMasterBullets(Buffer.concat([shorts(3), level(1), level(), level(0)]), 1)).toEqual([true, true, false]);
});
