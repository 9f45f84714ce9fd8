import { expect, test } from "vitest";
import { countLetters } from "./count-letters.ts";

test.each([
  ["a1 -!", 2],
  ["été ß", 4],
  ["全世界。", 3],
  ["𝐴𝐵 +", 2],
  ["", 0],
])("%j has %i letters", (text, count) => {
  expect(countLetters(text)).toBe(count);
});
