import { expect, test } from "vitest";
import { cellsOf, columnsOf } from "./row-cells.ts";

test("the columns are the fields of the rows, in their order", () => {
  expect(columnsOf(['{"instruction":"a","output":"b"}', '{"instruction":"c","input":"d"}', "not JSON", "[1]"])).toEqual(
    ["instruction", "output", "input"],
  );
});

test("rows with many fields have as many columns as can be read, and a row without fields has none", () => {
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, index])));
  expect(columnsOf([many])).toEqual(["f0", "f1", "f2", "f3", "f4", "f5"]);
  expect(columnsOf(["not JSON"])).toEqual([]);
});

test("a cell holds a text as it is, and anything else as JSON", () => {
  const text = '{"q":"two\\nlines","n":1.50,"messages":[{"role":"user"}],"none":null}';
  expect(cellsOf(text, ["q", "n", "messages", "none", "absent"])).toEqual([
    "two lines",
    "1.5",
    '[{"role":"user"}]',
    "null",
    "",
  ]);
});

test("fields that have no column of their own are shown after the others", () => {
  expect(cellsOf('{"q":"a","extra":{"b":1}}', ["q"])).toEqual(["a", '{"extra":{"b":1}}']);
});

test("what has no fields, or is too long to be read at a glance, has no cells", () => {
  expect(cellsOf("{broken", ["q"])).toBeUndefined();
  expect(cellsOf("[1]", ["q"])).toBeUndefined();
  expect(cellsOf("{}", [])).toBeUndefined();
  expect(cellsOf(`{"q":"${"a".repeat(100_000)}"}`, ["q"])).toBeUndefined();
});
