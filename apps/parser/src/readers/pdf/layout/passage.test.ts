import { expect, test } from "vitest";
import { lineAt, linesAt } from "./geometry.fixture.ts";
import { toPassage } from "./passage.ts";
import { toTextBlock } from "./text-block.ts";

test("a passage looks as most of its letters do", () => {
  const lines = [
    lineAt("A few plain", {}),
    lineAt("and many more letters in bold here", { baseline: 112, style: { isBold: true } }),
  ];
  expect(toPassage(toTextBlock(lines), 3, new Set())).toMatchObject({
    page: 3,
    lineCount: 2,
    look: { isBold: true, size: 10 },
  });
});

test("capitals are told from small letters, figures do not count", () => {
  const isCapitals = (text: string) => toPassage(toTextBlock([lineAt(text)]), 1, new Set()).look.isCapitals;
  expect([isCapitals("RESULTS 2020"), isCapitals("Results"), isCapitals("2020"), isCapitals("结果结果")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("code keeps its lines and its columns", () => {
  const style = { isMonospaced: true };
  const lines = [...linesAt(["if x:"], { style }), lineAt("return y", { left: 20, baseline: 112, style })];
  expect(toPassage(toTextBlock(lines), 1, new Set()).codeText).toBe("if x:\n    return y");
});
