import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compileNumberFormat } from "./number-format.ts";

const piece = fc.constantFrom(
  "0",
  "#",
  "?",
  ".",
  ",",
  "%",
  "/",
  "E+",
  "@",
  ";",
  '"',
  "[",
  "]",
  "h",
  "m",
  "s",
  "y",
  "d",
  "_",
  "*",
  "\\",
  "[h]",
  "General",
  "$",
);

test("any format code gives text for any number", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), fc.double(), (pieces, value) => {
      expect(typeof compileNumberFormat(pieces.join(""), { is1904: false })(value)).toBe("string");
    }),
  );
});

test("two fixed places are those of the decimal value", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), (cents) => {
      expect(compileNumberFormat("0.00", { is1904: false })(cents / 100)).toBe(
        `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`,
      );
    }),
  );
});
