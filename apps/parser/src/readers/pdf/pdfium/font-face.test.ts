import { expect, test } from "vitest";
import { describeFace } from "./font-face.ts";

const plain = { flags: 0, weight: 400 };

test.each([
  ["ABCDEF+Times-Roman", plain, ["Times-Roman", false, false, false]],
  ["Times-BoldItalic", plain, ["Times-BoldItalic", true, true, false]],
  ["TimesNewRomanPS-BoldMT", plain, ["TimesNewRomanPS-BoldMT", true, false, false]],
  ["CMBX10", plain, ["CMBX10", true, false, false]],
  ["CMTI10", plain, ["CMTI10", false, true, false]],
  ["AdvOT1ef757c0.B", plain, ["AdvOT1ef757c0.B", true, false, false]],
  ["Courier", plain, ["Courier", false, false, true]],
  ["Any", { flags: 1 | 64 | (1 << 18), weight: 400 }, ["Any", true, true, true]],
  ["Heavy-ish", { flags: 0, weight: 700 }, ["Heavy-ish", true, false, false]],
  ["MinionProIt", plain, ["MinionProIt", false, true, false]],
  ["MyriadProSmBd", plain, ["MyriadProSmBd", true, false, false]],
  ["Robert", plain, ["Robert", false, false, false]],
] as const)("%s", (name, described, [fontName, isBold, isItalic, isMonospaced]) => {
  expect(describeFace(name, described)).toEqual({ fontName, isBold, isItalic, isMonospaced });
});
