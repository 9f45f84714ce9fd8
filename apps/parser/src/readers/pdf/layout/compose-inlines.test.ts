import { describe, expect, test } from "vitest";
import { composeInlines, plainText } from "./compose-inlines.ts";
import { lineAt, linesAt, wordAt } from "./geometry.fixture.ts";
import { toLine } from "./line.ts";

const setting = (...words: string[]) => ({ vocabulary: new Set(words), isPlain: false });

describe("text of lines", () => {
  test("lines join with a space", () => {
    expect(composeInlines(linesAt(["one line", "and another"]), setting())).toEqual(["one line and another"]);
  });

  test.each([
    ["a word broken at the line end is joined", ["prob-", "ably so"], [], "probably so"],
    ["a compound known to the document keeps its hyphen", ["well-", "known"], ["well-known"], "well-known"],
    ["a joined word known to the document wins", ["pre-", "diction"], ["prediction", "pre-diction"], "prediction"],
    ["a compound of two known words keeps it", ["colony-", "forming"], ["colony", "forming"], "colony-forming"],
    ["a prefix that is set apart elsewhere keeps it", ["anti-", "biotic"], ["anti-"], "anti-biotic"],
    ["syllables are no words", ["for-", "mation"], ["for", "mation"], "formation"],
    ["a hyphen before a capital stays", ["Anglo-", "Saxon"], [], "Anglo-Saxon"],
    ["a hyphen after a digit stays", ["COX2-", "dependent"], [], "COX2-dependent"],
  ] as const)("%s", (...[, lines, vocabulary, expected]) => {
    expect(plainText(composeInlines(linesAt(lines), setting(...vocabulary)))).toBe(expected);
  });

  test("Chinese lines join without a space", () => {
    expect(plainText(composeInlines(linesAt(["全世界", "无产者"]), setting()))).toBe("全世界无产者");
  });

  test("raised small words are superscript and lowered ones subscript", () => {
    const up = { ...wordAt("12", { left: 20, baseline: 96, style: { size: 6 } }), isGlued: true };
    const down = { ...wordAt("2", { left: 26, baseline: 102, style: { size: 6 } }), isGlued: true };
    expect(composeInlines([toLine([wordAt("text"), up, down])], setting())).toEqual([
      "text",
      { type: "superscript", inlines: ["12"] },
      { type: "subscript", inlines: ["2"] },
    ]);
  });

  test("bold and italic words are marked, single letters are not", () => {
    const words = [
      wordAt("In"),
      wordAt("vitro", { left: 15, style: { isItalic: true } }),
      wordAt("n", { left: 45, style: { isItalic: true } }),
    ];
    expect(composeInlines([toLine(words)], setting())).toEqual(["In ", { type: "emphasis", inlines: ["vitro n"] }]);
    expect(composeInlines([toLine([wordAt("n", { style: { isItalic: true } })])], setting())).toEqual(["n"]);
  });

  test("words with a target are a link", () => {
    const word = { ...wordAt("here", { left: 25 }), link: "https://example.org/" };
    expect(composeInlines([toLine([wordAt("Look"), word])], setting())).toEqual([
      "Look ",
      { type: "link", target: "https://example.org/", inlines: ["here"] },
    ]);
  });

  test("the full stop after a linked word is no part of the link", () => {
    const word = { ...wordAt("here.", { left: 25 }), link: "https://example.org/" };
    expect(composeInlines([toLine([wordAt("Look"), word, wordAt("Now", { left: 55 })])], setting())).toEqual([
      "Look ",
      { type: "link", target: "https://example.org/", inlines: ["here"] },
      ". Now",
    ]);
  });

  test("nothing is marked where the whole block is set alike", () => {
    const line = lineAt("All bold", { style: { isBold: true } });
    expect(composeInlines([line], { vocabulary: new Set(), isPlain: true })).toEqual(["All bold"]);
  });
});
