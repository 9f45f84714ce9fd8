import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toStrings } from "../ngrams/tokens.ts";
import { findPythonWords, stripPythonEnd } from "../python/python-text.ts";
import { tokenizers } from "./tokenizers.ts";

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
describe("the one-pass tokenizers", () => {
  it("give what the replacements of mteval give", () => {
    const property = fc.property(text, (given) => {
      expect(toStrings(tokenizers["13a"](given))).toEqual(replace13a(given));
      expect(toStrings(tokenizers.intl(given))).toEqual(replaceIntl(given));
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

function replace13a(given: string): string[] {
  const line = stripPythonEnd(given)
    .replaceAll("<skipped>", "")
    .replaceAll("-\n", "")
    .replaceAll("\n", " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  return splitPythonSpaces(
    ` ${line} `
      .replace(/([{-~[-` -&(-+:-@/])/g, " $1 ")
      .replace(/([^0-9])([.,])/g, "$1 $2 ")
      .replace(/([.,])([^0-9])/g, " $1 $2")
      .replace(/([0-9])(-)/g, "$1 $2 "),
  );
}

const replaceIntl = (given: string): string[] =>
  splitPythonSpaces(
    stripPythonEnd(given)
      .replace(/(\P{N})(\p{P})/gu, "$1 $2 ")
      .replace(/(\p{P})(\P{N})/gu, " $1 $2")
      .replace(/(\p{S})/gu, " $1 "),
  );

const splitPythonSpaces = (given: string): string[] => toStrings(findPythonWords(given));
