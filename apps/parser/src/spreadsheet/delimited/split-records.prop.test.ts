import * as fc from "fast-check";
import { expect, test } from "vitest";
import { splitRecords } from "./split-records.ts";

const field = fc.string({ unit: fc.constantFrom("a", "b", ",", '"', "\n", " ", "é") });

test("what RFC 4180 writes is read back", () => {
  fc.assert(
    fc.property(fc.array(fc.array(field, { minLength: 2, maxLength: 5 }), { maxLength: 8 }), (records) => {
      const text = records
        .map((fields) => fields.map((value) => `"${value.replaceAll('"', '""')}"`).join(","))
        .join("\r\n");
      const read: string[][] = [];
      splitRecords(text, ",", (fields) => read.push(fields) > 0);
      expect(read).toEqual(records);
    }),
  );
});

test("no character but delimiters, quotes and line ends is lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "b", ",", '"', "\n", "\r") }), (text) => {
      let letters = "";
      splitRecords(text, ",", (fields) => {
        letters += fields.join("");
        return true;
      });
      expect(letters.replaceAll(/[^ab]/g, "")).toBe(text.replaceAll(/[^ab]/g, ""));
    }),
  );
});
