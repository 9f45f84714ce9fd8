import { expect, test } from "vitest";
import { countCode, toCode } from "./code-runs.ts";
import { passageOf } from "./geometry.fixture.ts";

const code = (text: string, place: { left?: number; top?: number; page?: number } = {}) => {
  const { left = 50, top = 100, page = 1 } = place;
  const lineCount = text.split("\n").length;
  const look = { isMonospaced: true };
  return passageOf(text, { codeText: text, left, top, bottom: top + lineCount * 12, lineCount, page, look });
};

test("indents between passages and lines left blank are kept", () => {
  const passages = [
    code("def f():"),
    code("if x:\n    y", { left: 74, top: 112 }),
    code("return z", { left: 74, top: 160 }),
  ];
  expect(toCode(passages).text).toBe("def f():\n    if x:\n        y\n\n    return z");
});

test("a single line in a monospaced font is no piece of code, and code ends with its page", () => {
  expect(countCode([code("x"), passageOf("text")])).toBe(0);
  expect(countCode([code("x"), code("y"), passageOf("text")])).toBe(2);
  expect(countCode([code("x\ny"), code("z", { page: 2 })])).toBe(1);
});
