import { expect, test } from "vitest";
import { parsePdfDate } from "./pdf-date.ts";

test.each([
  ["D:20240229123015+01'00'", "2024-02-29T12:30:15+01:00"],
  ["D:20240229123015Z", "2024-02-29T12:30:15Z"],
  ["D:202402291230", "2024-02-29T12:30:00"],
  ["D:20240229", "2024-02-29"],
  ["2024", "2024"],
  ["D:20249999", undefined],
  ["yesterday", undefined],
])("%j is %j", (text, expected) => {
  expect(parsePdfDate(text)).toBe(expected);
});
