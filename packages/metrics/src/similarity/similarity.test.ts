import { describe, expect, it } from "vitest";
import { corpusCosineSimilarity, createTextCosine } from "./cosine-similarity.ts";
import { corpusTextSimilarity, textSimilarity } from "./text-similarity.ts";

describe("text similarity", () => {
  it("is one minus the share of characters that must change", () => {
    expect(textSimilarity({ prediction: "kitten", references: ["sitting"] })).toBe(1 - 3 / 7);
    expect(textSimilarity({ prediction: "Ｋｉｔｔｅｎ", references: ["KITTEN"] })).toBe(1);
    expect(textSimilarity({ prediction: "模型😀", references: ["模式😀", "x"] })).toBe(1 - 1 / 3);
  });

  it("of a test set is the mean", () => {
    const samples = [
      { prediction: "a", references: ["a"] },
      { prediction: "ab", references: ["ac"] },
    ];
    expect(corpusTextSimilarity(samples)).toBe(0.75);
  });
});

describe("cosine similarity", () => {
  it("of one pair is that of their weighted words, characters and pairs of characters", () => {
    // "ab": word ab, characters a b, pair ab. "ac": word ac, characters a c, pair ac. One of four is shared.
    expect(corpusCosineSimilarity([{ prediction: "ab", references: ["ac"] }])).toBeCloseTo(0.25, 12);
    // "aab" has a twice: its weight is 1 + ln 2.
    const twice = 1 + Math.log(2);
    const expected = (twice + 1 + 1) / Math.sqrt((1 + twice ** 2 + 1 + 2) * 4);
    expect(createTextCosine([]).score({ prediction: "aab", references: ["ab"] })).toBeCloseTo(expected, 12);
  });

  it("does not see case, width or punctuation", () => {
    expect(createTextCosine([]).score({ prediction: "Ｔhe CAT!", references: ["the, cat"] })).toBe(1);
  });

  it("counts rare words more than common ones from fifty references on", () => {
    const references = Array.from({ length: 50 }, (_, index) => `common 词${index}`);
    const fitted = createTextCosine(references);
    const plain = createTextCosine(references.slice(1));
    const sample = { prediction: "common zebra", references: ["common 词7"] };
    expect(fitted.score(sample)).toBeLessThan(plain.score(sample));
    expect(fitted.signature).toMatch(/^cos:tfidf\|feat:w\+c1-2\|idf:ref\(n=50\)\|icu:[0-9.]+$/);
    expect(plain.signature).toMatch(/\|idf:none\|/);
  });
});
