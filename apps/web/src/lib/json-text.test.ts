import { expect, test } from "vitest";
import { compactJson, indentJson, rowFault } from "./json-text.ts";

test("indenting and compacting keep numbers, keys and escapes as they are written", () => {
  const text = '{"n":12345678901234567890,"n":1.0,"e":"\\u00e9 \\" {,}","list":[],"deep":{"a":[1,{"b":null}]}}';
  const indented = indentJson(text);
  expect(indented.split("\n")[1]).toBe('  "n": 12345678901234567890,');
  expect(indented).toContain('"list": [],');
  expect(compactJson(indented)).toBe(text);
});

test("text that is no JSON stays as it is, and says why it cannot be a row", () => {
  expect(indentJson('{"a":')).toBe('{"a":');
  expect(compactJson("{ no }")).toBe("{ no }");
  expect(rowFault("[1]")).toBe("notAnObject");
  expect(rowFault('{"a":')).toMatchObject({ message: expect.any(String) });
  expect(rowFault('{"a":1}')).toBeUndefined();
});
