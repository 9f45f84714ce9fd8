import { expect, it } from "vitest";
import { toStrings } from "../ngrams/tokens.ts";
import { roundToFourPlaces, sumExactly } from "./python-numbers.ts";
import { findPythonWords, isPythonSpace, stripPython, stripPythonEnd, toCodePoints } from "./python-text.ts";

it("knows exactly the white space of Python", () => {
  const spaces = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(isPythonSpace);
  // [c for c in range(0x10000) if chr(c).isspace()]
  const wide = [
    0x85, 0xa0, 0x1680, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287,
  ];
  expect(spaces).toEqual([9, 10, 11, 12, 13, 28, 29, 30, 31, 32, ...wide, 0x3000]);
});

it("splits and strips by it, and keeps zero-width characters", () => {
  expect(toStrings(findPythonWords("\u001ca\u0085b \u3000\ufeffc\u200b "))).toEqual(["a", "b", "\ufeffc\u200b"]);
  expect(toStrings(findPythonWords(" \n"))).toEqual([]);
  expect([stripPython("\u2009 a b\u001f"), stripPythonEnd(" a\t")]).toEqual(["a b", " a"]);
});

it("counts a pair of surrogates as one character and a half one as one", () => {
  expect([...toCodePoints("a😀\ud83d\ude00\ude00\ud83d")]).toEqual([0x61, 0x1f600, 0x1f600, 0xde00, 0xd83d]);
});

it("rounds halves to the even neighbour", () => {
  // round(0.03125, 4), round(0.09375, 4), round(78.71875, 4), round(2.00005, 4), round(33.33335, 4)
  expect([0.03125, 0.09375, 78.71875, 2.00005, 33.33335].map(roundToFourPlaces)).toEqual([
    0.0312, 0.0938, 78.7188, 2, 33.3334,
  ]);
});

it("sums without rounding on the way", () => {
  expect(sumExactly([1e16, 1, -1e16])).toBe(1);
  expect(sumExactly(Array.from({ length: 10 }, () => 0.1))).toBe(1);
  // Half an ulp and a little more: only the smallest part says which way to round.
  expect(sumExactly([1, 2 ** -53, 2 ** -106])).toBe(1 + 2 ** -52);
  expect(sumExactly([])).toBe(0);
});
