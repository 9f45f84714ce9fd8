import { describe, expect, test } from "vitest";
import type { Block } from "../document/document.ts";
import { documentText } from "../document/document-text.ts";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { leaveOutQuotedText, leaveOutSignature } from "./drop-quoted-text.ts";
import { mailTextBlocks } from "./mail-text-blocks.ts";
import type { ReadContext } from "./reader.ts";

function contextOf(quotedText: "keep" | "drop"): ReadContext & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return {
    options: { pages: [], headersFooters: "drop", images: "none", quotedText },
    budget: new Budget(defaultLimits),
    depth: 0,
    warnings,
    warn: (sentence) => warnings.push(sentence),
    readPart: () => Promise.reject(new Error("No parts.")),
  };
}

function read(text: string, quotedText: "keep" | "drop" = "drop"): { texts: string[]; warnings: string[] } {
  const context = contextOf(quotedText);
  const blocks = leaveOutQuotedText(mailTextBlocks(leaveOutSignature(text, context)), context);
  return { texts: [...documentText(blocks)], warnings: context.warnings };
}

describe("quoted text of a message", () => {
  test("is kept unless the caller wants it dropped", () => {
    expect(read("Yes.\n\nOn Monday Jane wrote:\n> Shall we?\n\n-- \nBob", "keep").texts).toContain("Shall we?");
  });

  test.each([
    "On Mon, 3 Mar 2024 at 10:00, Jane <jane@example.org> wrote:",
    "Am 03.03.2024 um 10:00 schrieb Jane:",
    "Le 3 mars 2024, Jane a écrit :",
    "El lun, 3 mar 2024, Jane escribió:",
    "2024年3月3日，Jane 写道：",
    "3 марта 2024 г. Jane пишет:",
  ])("goes with the line that tells whose it is: %s", (attribution) => {
    expect(read(`Yes, at ten.\n\n${attribution}\n\n> Shall we meet?\n> At ten?`).texts).toEqual(["Yes, at ten."]);
  });

  test("is told with its number of words", () => {
    expect(read("Yes.\n\nJane wrote:\n\n> Shall we meet?").warnings).toEqual([
      "Quoted messages and signatures were left out (words: 5).",
    ]);
  });

  test("leaves the answers between its parts", () => {
    expect(read("> One?\n\nFirst answer.\n\n> Two?\n\nSecond answer.").texts).toEqual([
      "First answer.",
      "Second answer.",
    ]);
  });

  test("ends the message where Outlook puts the head of the message before", () => {
    const head = "From: Jane\nSent: Monday\nTo: Bob\nSubject: Meeting\n\nShall we?";
    expect(read(`Yes.\n\n${head}`).texts).toEqual(["Yes."]);
    expect(read(`Yes.\n\n-----Original Message-----\n${head}`).texts).toEqual(["Yes."]);
  });

  test("is kept where the message has nothing else", () => {
    expect(read("> All of it is quoted.")).toEqual({ texts: ["All of it is quoted."], warnings: [] });
  });

  test("is no ordinary sentence with such a verb", () => {
    expect(read("This is what Jane wrote:\n\nA poem.").texts).toEqual(["This is what Jane wrote:", "A poem."]);
  });
});

describe("the signature of a message", () => {
  test("is left out up to what is quoted below it", () => {
    expect(read("Text.\n\n-- \nBob\nCompany\n\n> Quoted.")).toEqual({
      texts: ["Text."],
      warnings: [
        "Quoted messages and signatures were left out (words: 2).",
        "Quoted messages and signatures were left out (words: 1).",
      ],
    });
  });

  test("is no long text behind two dashes", () => {
    const text = `Text.\n-- \n${Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n")}`;
    expect(read(text).texts.join(" ")).toContain("line 19");
  });
});

test("blocks without quotes are the same object", () => {
  const blocks: Block[] = [{ type: "paragraph", inlines: ["Text."] }];
  expect(leaveOutQuotedText(blocks, contextOf("drop"))).toBe(blocks);
});
