import { describe, expect, it } from "vitest";
import { corpusBleu, sentenceBleu } from "./bleu/bleu.ts";
import { corpusChrf, sentenceChrf } from "./chrf/chrf.ts";
import { cutWords } from "./jieba/cut-words.ts";
import { parseJiebaDictionary } from "./jieba/jieba-dictionary.ts";
import { meanPredictMetrics, predictMetrics } from "./llama-factory/predict-metrics.ts";
import { MetricError, type MetricErrorCode } from "./metric-error.ts";
import { stemWord } from "./rouge/porter-stemmer.ts";
import { corpusRouge, rouge, type RougeType } from "./rouge/rouge.ts";
import { type Sample, toSamples } from "./samples.ts";
import { corpusCosineSimilarity, createTextCosine } from "./similarity/cosine-similarity.ts";
import { cosineOfEmbeddings } from "./similarity/cosine-of-embeddings.ts";
import { corpusTextSimilarity, textSimilarity } from "./similarity/text-similarity.ts";
import { corpusExactMatch, exactMatch } from "./squad/exact-match.ts";
import { corpusTokenF1, tokenF1 } from "./squad/token-f1.ts";

const corpusMetrics: Readonly<Record<string, (samples: readonly Sample[]) => unknown>> = {
  corpusBleu,
  corpusChrf,
  corpusRouge,
  corpusExactMatch,
  corpusTokenF1,
  corpusTextSimilarity,
  corpusCosineSimilarity,
};
const codeOf = (run: () => unknown): MetricErrorCode | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof MetricError ? error.code : undefined;
  }
};

const dictionary = parseJiebaDictionary("中文 50 n\n文字 60 n\n中 9 n\n");
const cut = (text: string): string[] => cutWords(text, { dictionary, cutUnknown: (part) => part.split("") });
const long = 300_000;

describe("wrong inputs", () => {
  it.each(Object.entries(corpusMetrics))(
    "%s refuses an empty test set and a sample without a reference",
    (_, metric) => {
      expect(codeOf(() => metric([]))).toBe("no_samples");
      expect(codeOf(() => metric([{ prediction: "a", references: [] }]))).toBe("no_references");
    },
  );

  it("lists of unequal lengths are refused with both lengths", () => {
    expect(() => toSamples(["a", "b"], ["a"])).toThrow(/2 predictions but 1 references/);
    expect(codeOf(() => toSamples(["a", "b"], ["a"]))).toBe("unequal_lengths");
  });

  it("what is no text is refused with its place", () => {
    expect(() => toSamples(["a", null as unknown as string], ["a", "b"])).toThrow(/prediction of sample 1/);
    expect(() => toSamples(["a"], [[5 as unknown as string]])).toThrow(/reference of sample 0/);
    expect(() => toSamples(["a"], [undefined as unknown as string])).toThrow(/reference of sample 0/);
    expect(() => toSamples(["a"], [[]])).toThrow(/Sample 0 has no reference/);
  });

  it("options outside their bounds are refused", () => {
    const sample = { prediction: "a", references: ["a"] };
    const wrong = [
      () => sentenceBleu(sample, { maxOrder: 0 }),
      () => sentenceBleu(sample, { maxOrder: 1.5 }),
      () => sentenceBleu(sample, { smoothing: "add-k", smoothingValue: -1 }),
      () => sentenceBleu(sample, { smoothing: "floor", smoothingValue: Number.NaN }),
      () => sentenceChrf(sample, { charOrder: 0 }),
      () => sentenceChrf(sample, { wordOrder: 17 }),
      () => sentenceChrf(sample, { beta: 0 }),
      () => rouge(sample, { types: ["rouge0" as RougeType] }),
    ];
    expect(wrong.map(codeOf)).toEqual(wrong.map(() => "bad_option"));
  });

  it("embeddings of different dimensions or with a hole are refused", () => {
    expect(codeOf(() => cosineOfEmbeddings([1, 2], [1]))).toBe("unequal_lengths");
    expect(codeOf(() => cosineOfEmbeddings([], []))).toBe("unequal_lengths");
    expect(codeOf(() => cosineOfEmbeddings([1, Number.NaN], [1, 2]))).toBe("not_finite");
    expect(cosineOfEmbeddings([0, 0], [1, 2])).toBe(0);
    expect(cosineOfEmbeddings([1e200, 0], [1e-200, 1e-200])).toBeCloseTo(Math.SQRT1_2, 12);
  });
});

describe("one sample", () => {
  it("is enough for every metric", () => {
    const samples = [{ prediction: "the cat sat", references: ["the cat ran"] }];
    expect(corpusCosineSimilarity(samples)).toBeGreaterThan(0.5);
    expect(corpusCosineSimilarity(samples)).toBeLessThan(1);
    for (const metric of Object.values(corpusMetrics)) expect(() => metric(samples)).not.toThrow();
  });
});

describe("empty texts", () => {
  it("give 0 and no NaN, and are like each other where likeness is measured", () => {
    const empty = { prediction: "", references: [""] };
    expect([sentenceBleu(empty).score, sentenceChrf(empty), tokenF1(empty), exactMatch(empty)]).toEqual([0, 0, 0, 1]);
    expect(rouge(empty, { types: ["rougeLsum"] }).rougeLsum).toEqual({ precision: 0, recall: 0, fmeasure: 0 });
    expect([textSimilarity(empty), createTextCosine([]).score(empty)]).toEqual([1, 1]);
    expect(createTextCosine([]).score({ prediction: "!", references: ["a"] })).toBe(0);
    expect(textSimilarity({ prediction: "", references: ["a"] })).toBe(0);
    const zeros = { "rouge-1": 0, "rouge-2": 0, "rouge-l": 0, "bleu-4": 0 };
    expect(predictMetrics({ prediction: "", reference: "" }, cut)).toEqual(zeros);
    expect(meanPredictMetrics([zeros])).toEqual(zeros);
    expect(codeOf(() => meanPredictMetrics([]))).toBe("no_samples");
  });
});

describe("half surrogate pairs and NUL", () => {
  it("are characters like others, and do not join across removed white space", () => {
    expect(sentenceChrf({ prediction: "\ud83d \ude00", references: ["😀"] })).toBe(0);
    expect(sentenceChrf({ prediction: "\ud83d \ude00", references: ["\ud83d\t\ude00"] })).toBe(100);
    expect(sentenceBleu({ prediction: "a\0b", references: ["a\0b"] }, { tokenizer: "char" }).counts).toEqual([
      3, 2, 1, 0,
    ]);
    expect(cut("\ud83d中文\ude00\0")).toEqual(["\ud83d", "中文", "\ude00", "\0"]);
    expect(textSimilarity({ prediction: "\ud83d", references: ["\0"] })).toBe(0);
  });
});

describe("huge texts", () => {
  it("are scored by n-grams in time that grows with their length", () => {
    const sample = { prediction: "中a.1 ".repeat(long / 5), references: ["中a,1 ".repeat(long / 5)] };
    expect(sentenceBleu(sample, { tokenizer: "zh" }).predictionLength).toBe((long / 5) * 4);
    // Of four characters three match, of four pairs two, of four triples one, of longer ones none.
    expect(sentenceChrf(sample)).toBeCloseTo(25, 3);
    expect(rouge(sample, { types: ["rouge1", "rouge2"] }).rouge1?.fmeasure).toBe(1);
    expect(tokenF1(sample)).toBeGreaterThan(0);
  }, 120_000);

  it("that are equal cost nothing to align", () => {
    const words = Array.from({ length: long }, (_, index) => `w${index % 977}`).join(" ");
    const sample = { prediction: words, references: [words] };
    expect(rouge(sample, { types: ["rougeL"] }).rougeL?.fmeasure).toBe(1);
    expect(textSimilarity(sample)).toBe(1);
  }, 120_000);

  it("that differ are refused by the metrics that align, at once and with a reason", () => {
    const [one, other] = ["a b ".repeat(long / 4), "b c a ".repeat(long / 4)];
    const sample = { prediction: one, references: [other] };
    expect(codeOf(() => rouge(sample, { types: ["rougeL"] }))).toBe("too_long");
    expect(codeOf(() => rouge(sample, { types: ["rougeLsum"] }))).toBe("too_long");
    expect(codeOf(() => textSimilarity(sample))).toBe("too_long");
    expect(codeOf(() => predictMetrics({ prediction: one, reference: other }, cut))).toBe("too_long");
  }, 120_000);

  it("of empty lines, marks, or one endless word do not slow anything down", () => {
    const lines = { prediction: "\n".repeat(long), references: ["\n".repeat(long)] };
    expect(rouge(lines, { types: ["rougeLsum"] }).rougeLsum?.fmeasure).toBe(0);
    const marks = { prediction: ".,".repeat(long / 2), references: ["5.".repeat(long / 2)] };
    expect(sentenceBleu(marks, { tokenizer: "intl" }).predictionLength).toBe(long);
    expect(stemWord(`${"y".repeat(long)}ing`)).toHaveLength(long);
    expect(cut("文".repeat(long))).toHaveLength(long);
  }, 120_000);

  it("with ten thousand references or a hundred thousand lines are scored", () => {
    const references = Array.from({ length: 10_000 }, (_, index) => `the answer ${index}`);
    expect(sentenceBleu({ prediction: "the answer 7", references }).score).toBeCloseTo(100, 9);
    const lines = Array.from({ length: 150_000 }, (_, index) => `w${index}`).join("\n");
    const sample = { prediction: lines, references: ["w7\nw8"] };
    expect(rouge(sample, { types: ["rougeLsum"] }).rougeLsum?.recall).toBe(1);
  }, 120_000);
});
