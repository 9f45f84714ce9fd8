import { expect, it } from "vitest";
import { cutWords } from "./cut-words.ts";
import { parseJiebaDictionary } from "./jieba-dictionary.ts";

// Shares of 16: 甲 4, 乙 4, 甲乙 1 (as likely as 甲 and 乙 apart), 丙丁 3, B超 4; 戊 is listed but never occurs.
const dictionary = parseJiebaDictionary("甲 4 n\n乙 4 n\n甲乙 1 n\n丙丁 3 n\nB超 4 n\n戊 0 n\n\n");
const cut = (text: string): string[] => cutWords(text, { dictionary, cutUnknown: (part) => [`<${part}>`] });

it("takes the longer of two equally likely words, as jieba does", () => {
  expect(cut("甲乙")).toEqual(["甲乙"]);
});

it("takes the likelier of two cuts", () => {
  expect(cut("乙甲丙丁")).toEqual(["<乙甲>", "丙丁"]);
});

it("gives ideographs that no word covers to the model, and a single one to none", () => {
  expect(cut("丁戊甲B超己")).toEqual(["<丁戊甲>", "B超", "己"]);
});

it("keeps letters and numbers together between ideographs", () => {
  expect(cut("己3.5%abc-2庚")).toEqual(["<己>", "3.5%", "abc", "-", "2", "<庚>"]);
});

it("makes tokens of white space and other characters, a line end of Windows being one", () => {
  expect(cut("a  \r\n\r\n，😀")).toEqual(["a", " ", " ", "\r\n", "\r\n", "，", "😀"]);
});
