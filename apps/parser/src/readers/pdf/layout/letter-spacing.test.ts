import { expect, test } from "vitest";
import { lineAt, textOf, wordAt } from "./geometry.fixture.ts";
import { joinLetterSpacing } from "./letter-spacing.ts";
import { toLine } from "./line.ts";

test("letters set apart become words again", () => {
  expect(textOf(joinLetterSpacing(lineAt("A B S T R A C T")))).toBe("ABSTRACT");
});

test("a wider gap among spaced letters parts words", () => {
  const words = Array.from("TWOWAYS", (letter, index) => wordAt(letter, { left: index * 10 + (index > 2 ? 12 : 0) }));
  expect(textOf(joinLetterSpacing(toLine(words)))).toBe("TWO WAYS");
});

test("a sentence keeps its spaces", () => {
  expect(textOf(joinLetterSpacing(lineAt("a b and c of the text")))).toBe("a b and c of the text");
});
