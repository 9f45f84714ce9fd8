import { expect, it } from "vitest";
import { exactMatch } from "./exact-match.ts";
import { normaliseAnswer } from "./normalise-answer.ts";
import { tokenF1 } from "./token-f1.ts";

it("matches strictly, as SQuAD does, or with the forms of Chinese texts", () => {
  const sample = { prediction: "ＧＤＰ 增长 “5％”。", references: ["GDP增长5%"] };
  expect([exactMatch(sample, "strict"), exactMatch(sample, "squad"), exactMatch(sample, "cjk")]).toEqual([0, 0, 1]);
  expect(exactMatch({ prediction: " e\u0301 ", references: ["é"] }, "strict")).toBe(1);
  expect(exactMatch({ prediction: "The cat!", references: ["a dog", "cat"] })).toBe(1);
});

it("counts the ideographs of a Chinese answer one by one", () => {
  const sample = { prediction: "北京大学。", references: ["北京市"] };
  expect(tokenF1(sample)).toBe(0);
  // Two of four and two of three characters: F = 2·(1/2)(2/3) / (1/2 + 2/3).
  expect(tokenF1(sample, "cjk")).toBeCloseTo(4 / 7, 12);
  expect(tokenF1({ prediction: "用 GPU 训练", references: ["GPU训练"] }, "cjk")).toBeCloseTo(6 / 7, 12);
});

it("takes an article for a word only between what Python takes for the edges of words", () => {
  // [" ".join(re.sub(r"\b(a|an|the)\b", " ", text).split()) for text in …]
  const texts = ["a b", "éa", "aé", "中the文", "𝒳a", "a𝒳", "😀a😀", "the a an", "²an ½a", "a\u0301 a\u200b", "\ud835a"];
  expect(texts.map(normaliseAnswer)).toEqual([
    "b",
    "éa",
    "aé",
    "中the文",
    "𝒳a",
    "a𝒳",
    "😀 😀",
    "",
    "²an ½a",
    "\u0301 \u200b",
    "\ud835",
  ]);
});
