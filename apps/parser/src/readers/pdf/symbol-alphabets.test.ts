import { expect, test } from "vitest";
import { findSymbolAlphabet } from "./symbol-alphabets.ts";

const write = (fontName: string, text: string): string =>
  text.replaceAll(/./g, (letter) => findSymbolAlphabet(fontName)?.get(letter.charCodeAt(0)) ?? letter);

test.each([
  ["AdvP4C4E74", "n ¼ ð1 þ 2Þ", "n = (1 + 2)"],
  ["GnrlgcAdvP4C4E74", "¼", "="],
  ["AdvPSMP13", "abcdl D", "αβγδμ Δ"],
  ["AdvPi1", "m 5 O", "μ < Ω"],
  ["MathematicalPi-One", ",", "<"],
])("%s draws %j as %j", (fontName, text, drawn) => {
  expect(write(fontName, text)).toBe(drawn);
});

test("fonts of text keep their letters", () => {
  expect(findSymbolAlphabet("AdvPTimes")).toBeUndefined();
  expect(findSymbolAlphabet("Symbol")).toBeUndefined();
});
