import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReasoningSplitter } from "./split-reasoning.ts";

function split(pieces: readonly string[]) {
  const splitter = createReasoningSplitter();
  const told = { content: "", reasoning: "" };
  for (const piece of [...pieces.flatMap((text) => splitter.push(text)), ...splitter.end()]) {
    if (piece.type !== "content_was_reasoning") told[piece.type] += piece.text;
    else [told.content, told.reasoning] = ["", told.reasoning + told.content];
  }
  return told;
}

describe("createReasoningSplitter", () => {
  it.each([
    ["no block", "just text", "just text", ""],
    ["a block", "<think>why</think>yes", "yes", "why"],
    ["a block with lines", "\n<think>\nwhy\n</think>\n\nyes\n", "yes\n", "\nwhy\n"],
    ["an empty block", "<think>\n\n</think>\n\nyes", "yes", "\n\n"],
    ["a block that is not closed", "<think>why so", "", "why so"],
    ["an end without its beginning", "why\nso\n</think>\n\nyes", "yes", "why\nso"],
    ["an end at the beginning", "</think>\n\nyes", "yes", ""],
    ["an end at the very end", "why\n</think>", "", "why"],
    ["the tag inside a line", "The tag </think> ends it.", "The tag </think> ends it.", ""],
    ["the tag later in the text", "Use <think>x</think> so.", "Use <think>x</think> so.", ""],
    ["a second block", "<think>a</think>b\n<think>c\n</think>\nd", "b\n<think>c\n</think>\nd", "a"],
    ["what only looks like a tag", "<thinker>", "<thinker>", ""],
    ["blanks", "  \n ", "  \n ", ""],
    ["nothing", "", "", ""],
  ])("splits a text with %s, wherever it is cut", (...[, text, content, reasoning]) => {
    expect(split([text])).toEqual({ content, reasoning });
    expect(split(text.split(""))).toEqual({ content, reasoning });
    for (let at = 1; at < text.length; at++) {
      expect(split([text.slice(0, at), text.slice(at)])).toEqual({ content, reasoning });
    }
  });

  it("tells the same however it is cut, and loses nothing but tags and the blanks around them", () => {
    const part = fc.constantFrom("<think>", "</think>", "\n", " ", "a", "b", "<", "</", "think>", "\n</think>\n");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat({ max: 9 }), { maxLength: 9 }), (parts, sizes) => {
        const text = parts.join("");
        const cut: string[] = [];
        let at = 0;
        for (const size of sizes) cut.push(text.slice(at, (at += size)));
        const whole = split([text]);
        expect(split([...cut, text.slice(at)])).toEqual(whole);
        const letters = (from: string) => from.replaceAll(/<\/?think>|\s/g, "");
        // Each by itself, or what stood on both sides of a tag would make another one.
        expect(letters(whole.reasoning) + letters(whole.content)).toBe(letters(text));
      }),
    );
  });
});
