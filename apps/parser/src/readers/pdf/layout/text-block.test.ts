import { describe, expect, test } from "vitest";
import { lineAt, linesAt, textOf } from "./geometry.fixture.ts";
import { mergeWords, toLine } from "./line.ts";
import { findTextBlocks } from "./text-block.ts";

const blocks = (lines: Parameters<typeof findTextBlocks>[0]) =>
  findTextBlocks(lines, (row) => row.reduce((a, b) => toLine(mergeWords(a, b)))).map((block) =>
    block.lines.map(textOf),
  );

describe("blocks of lines", () => {
  test("lines of one distance are one block, a wider distance parts two", () => {
    const lines = [
      ...linesAt(["first line here", "second line here", "third line here"]),
      ...linesAt(["next block of lines", "goes on here"], { baseline: 145 }),
    ];
    expect(blocks(lines)).toEqual([
      ["first line here", "second line here", "third line here"],
      ["next block of lines", "goes on here"],
    ]);
  });

  test("a numbered heading below another one is a block of its own", () => {
    const lines = linesAt(["2 | METHODS AND THINGS", "2.1 | Plants and seeds"], { style: { isBold: true } });
    expect(blocks(lines)).toHaveLength(2);
  });

  test("a full line in a font and size of its own is a heading above its text", () => {
    const lines = [
      lineAt("A heading as long as the text is wide", { style: { fontName: "Sans", size: 9.6 } }),
      ...linesAt(["Text that goes on below it from", "side to side and ends here then"], { baseline: 112 }),
    ];
    expect(blocks(lines).map((block) => block.length)).toEqual([1, 2]);
  });

  test("an indented line begins a paragraph", () => {
    const lines = [
      ...linesAt(["the first paragraph goes on and", "on to the end of it all without"]),
      lineAt("The second paragraph begins", { left: 12, baseline: 124 }),
      lineAt("and goes on at the margin here", { baseline: 136 }),
    ];
    expect(blocks(lines).map((block) => block.length)).toEqual([2, 2]);
  });

  test("a hanging entry ends where the next one returns to the margin", () => {
    const lines = [
      lineAt("Smith J and Jones K a study of many", { baseline: 100 }),
      lineAt("things in a journal 2001", { left: 12, baseline: 112 }),
      lineAt("of many pages", { left: 12, baseline: 124 }),
      lineAt("Taylor M on other things seen", { baseline: 136 }),
      lineAt("in another journal", { left: 12, baseline: 148 }),
    ];
    expect(blocks(lines).map((block) => block.length)).toEqual([3, 2]);
  });

  test("a line in bold is parted from the text below it", () => {
    const lines = [
      lineAt("Methods", { style: { isBold: true } }),
      ...linesAt(["The text goes on", "for two lines"], { baseline: 112 }),
    ];
    expect(blocks(lines)[0]).toEqual(["Methods"]);
  });

  test("a sentence that ends early ends its paragraph", () => {
    const lines = linesAt([
      "a line that fills the whole of the column",
      "ends.",
      "Another line that fills the whole column",
      "and its end",
    ]);
    expect(blocks(lines).map((block) => block.length)).toEqual([2, 2]);
  });

  test("the lines of a centred title are one block", () => {
    const style = { size: 18 };
    const title = [
      lineAt("A long title that is centred", { left: 50, style }),
      lineAt("on two lines", { left: 122, baseline: 121, style }),
    ];
    expect(blocks(title)).toHaveLength(1);
  });

  test("bullets begin blocks", () => {
    const lines = linesAt(["• first item of a list", "• second item of a list"]);
    expect(blocks(lines)).toHaveLength(2);
  });

  test("pieces on one baseline are one line", () => {
    expect(blocks([lineAt("text", { left: 40 }), lineAt("1.")])).toEqual([["1. text"]]);
  });
});
