import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { corpusBleu, sentenceBleu } from "./bleu/bleu.ts";
import { corpusChrf, sentenceChrf } from "./chrf/chrf.ts";
import { cutWords } from "./jieba/cut-words.ts";
import { parseJiebaDictionary } from "./jieba/jieba-dictionary.ts";
import { predictMetrics } from "./llama-factory/predict-metrics.ts";
import { rouge, type RougeScore } from "./rouge/rouge.ts";
import type { Sample } from "./samples.ts";
import { createTextCosine } from "./similarity/cosine-similarity.ts";
import { cosineOfEmbeddings } from "./similarity/cosine-of-embeddings.ts";
import { textSimilarity } from "./similarity/text-similarity.ts";
import { exactMatch } from "./squad/exact-match.ts";
import { tokenF1 } from "./squad/token-f1.ts";
import { type TokenizerName, tokenizers } from "./tokenizers/tokenizers.ts";

// Words that meet often, marks, digits, ideographs, and halves of surrogate pairs.
const unit = fc.constantFrom(
  ..."ab thé 15.,-&\n\0_'\"…—中文字，。！\u3000\u0085".split(""),
  "the ",
  "cat ",
  "𠀀",
  "\ud83d",
  "\ude00",
  "𝟙",
);
const text = fc.oneof(fc.string({ unit, maxLength: 60 }), fc.string({ unit: "binary", maxLength: 30 }));
const pair = fc.record({ prediction: text, references: fc.array(text, { minLength: 1, maxLength: 3 }) });
const names = fc.constantFrom<TokenizerName>("13a", "zh", "char", "intl", "none");
const runs = { numRuns: 300 };

const dictionary = parseJiebaDictionary("中文 50 n\n文字 60 n\n中 9 n\n文 8 n\n字 7 n\nthe 1 x\n15 2 m\n");
const cut = (given: string): string[] => cutWords(given, { dictionary, cutUnknown: (part) => part.split("") });

/** Every metric as a share of its maximum. */
const metrics: Readonly<Record<string, (sample: Sample) => number>> = {
  bleu: (sample) => sentenceBleu(sample).score / 100,
  "bleu zh add-k": (sample) => sentenceBleu(sample, { tokenizer: "zh", smoothing: "add-k" }).score / 100,
  chrF: (sample) => sentenceChrf(sample) / 100,
  "chrF++": (sample) => sentenceChrf(sample, { wordOrder: 2 }) / 100,
  rouge1: (sample) => (rouge(sample).rouge1 as RougeScore).fmeasure,
  rougeL: (sample) => (rouge(sample, { tokenize: tokenizers.char }).rougeL as RougeScore).fmeasure,
  rougeLsum: (sample) => (rouge(sample, { tokenize: tokenizers.char }).rougeLsum as RougeScore).fmeasure,
  "exact match": (sample) => exactMatch(sample),
  f1: (sample) => tokenF1(sample),
  "f1 cjk": (sample) => tokenF1(sample, "cjk"),
  "text similarity": textSimilarity,
  cosine: (sample) => createTextCosine([]).score(sample),
  "rouge-l": ({ prediction, references }) =>
    predictMetrics({ prediction, reference: references[0] as string }, cut)["rouge-l"] / 100,
  "bleu-4": ({ prediction, references }) =>
    predictMetrics({ prediction, reference: references[0] as string }, cut)["bleu-4"] / 100,
};

describe.each(Object.entries(metrics))("%s", (name, metric) => {
  it("lies between 0 and 1, whatever the texts", () => {
    const property = fc.property(pair, (sample) => {
      const score = metric(sample);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1 + 1e-12);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it("is greatest for the reference itself, if that holds anything to compare", () => {
    const property = fc.property(text, (given) => {
      const reference = `${given} ab15 cd `;
      const score = metric({ prediction: reference, references: [reference] });
      // rouge_chinese adds 1e-8 to its denominator.
      expect(Math.abs(score - 1)).toBeLessThanOrEqual(name === "rouge-l" ? 1e-6 : 1e-12);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe("metrics", () => {
  it("do not depend on the order of the two texts where their formula does not", () => {
    const property = fc.property(text, text, (one, other) => {
      for (const name of ["rouge1", "rougeL", "f1", "exact match", "text similarity", "rouge-l"]) {
        const metric = metrics[name] as (sample: Sample) => number;
        expect(metric({ prediction: one, references: [other] })).toBe(metric({ prediction: other, references: [one] }));
      }
      const [there, back] = [
        (metrics["cosine"] as (sample: Sample) => number)({ prediction: one, references: [other] }),
        (metrics["cosine"] as (sample: Sample) => number)({ prediction: other, references: [one] }),
      ];
      expect(Math.abs(there - back)).toBeLessThanOrEqual(1e-12);
    });
    fc.assert(property, runs);
  });

  it("of a test set do not depend on the order of its samples, nor on that of the references", () => {
    const property = fc.property(fc.array(pair, { minLength: 1, maxLength: 6 }), names, (samples, tokenizer) => {
      const turned = samples
        .toReversed()
        .map(({ prediction, references }) => ({ prediction, references: references.toReversed() }));
      expect(corpusBleu(turned, { tokenizer })).toEqual(corpusBleu(samples, { tokenizer }));
      expect(corpusChrf(samples.toReversed())).toBe(corpusChrf(samples));
    });
    fc.assert(property, runs);
  });

  it("are not lowered by one more reference", () => {
    const property = fc.property(pair, text, (sample, reference) => {
      const more = { ...sample, references: [...sample.references, reference] };
      for (const name of ["rouge1", "rougeL", "rougeLsum", "exact match", "f1", "text similarity", "chrF", "cosine"]) {
        const metric = metrics[name] as (sample: Sample) => number;
        expect(metric(more)).toBeGreaterThanOrEqual(metric(sample));
      }
    });
    fc.assert(property, runs);
  });
});

describe("jieba's words", () => {
  it("make up the text again", () => {
    const property = fc.property(text, (given) => {
      expect(cut(given).join("")).toBe(given);
    });
    fc.assert(property, runs);
  });
});

describe("the cosine of embeddings", () => {
  it("lies between -1 and 1, is symmetric, and 1 for a vector and itself", () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    const vectors = fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 20 });
    const property = fc.property(vectors, (values) => {
      const [one, other] = [values.map(([a]) => a), values.map(([, b]) => b)];
      const cosine = cosineOfEmbeddings(one, other);
      expect(Math.abs(cosine)).toBeLessThanOrEqual(1);
      expect(cosine).toBe(cosineOfEmbeddings(other, one));
      expect(cosineOfEmbeddings(one, one)).toBe(one.every((a) => a === 0) ? 0 : 1);
    });
    fc.assert(property, runs);
  });
});
