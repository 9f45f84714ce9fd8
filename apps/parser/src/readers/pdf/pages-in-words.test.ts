import { expect, test } from "vitest";
import { pagesInWords } from "./pages-in-words.ts";

test.each([
  [[3], "page 3"],
  [[1, 2, 3, 7], "pages 1–3, 7"],
  [Array.from({ length: 20 }, (_, index) => index * 2 + 1), "pages 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and more"],
])("%j is %j", (numbers, words) => {
  expect(pagesInWords(numbers)).toBe(words);
});
