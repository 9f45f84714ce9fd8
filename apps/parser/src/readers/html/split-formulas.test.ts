import { expect, test } from "vitest";
import { splitFormulas } from "./split-formulas.ts";

test("the delimiters of MathJax part text from formulas", () => {
  expect(splitFormulas("a \\( x \\) b \\[y\\] c $$z$$ d")).toEqual([
    { kind: "text", text: "a " },
    { kind: "inline", text: "x" },
    { kind: "text", text: " b " },
    { kind: "display", text: "y" },
    { kind: "text", text: " c " },
    { kind: "display", text: "z" },
    { kind: "text", text: " d" },
  ]);
});

test("a delimiter that is never closed is text", () => {
  expect(splitFormulas("a \\( b $$ c")).toEqual([{ kind: "text", text: "a \\( b $$ c" }]);
});
