import { expect, test } from "vitest";
import { mailTextBlocks } from "./mail-text-blocks.ts";

test("lines that were wrapped join, lines that were ended stay", () => {
  const wrapped = "This line is as long as mail programs make them before they wrap";
  expect(mailTextBlocks(`${wrapped}\nand goes on.\nShort.`)).toEqual([
    { type: "paragraph", inlines: [`${wrapped} and goes on.`, { type: "lineBreak" }, "Short."] },
  ]);
});

test("marks nest quotes", () => {
  const paragraph = (text: string) => ({ type: "paragraph" as const, inlines: [text] });
  expect(mailTextBlocks("> a\n>> b\n\nc")).toEqual([
    { type: "quote", blocks: [paragraph("a"), { type: "quote", blocks: [paragraph("b")] }] },
    paragraph("c"),
  ]);
});

test("two bulleted lines are a list, one is text", () => {
  expect(mailTextBlocks("- a\n- b")[0]?.type).toBe("list");
  expect(mailTextBlocks("- a")[0]?.type).toBe("paragraph");
});

test("10,000 quote marks nest no deeper than 20", () => {
  let depth = 0;
  let [block] = mailTextBlocks(`${">".repeat(10_000)} x`);
  for (; block?.type === "quote"; [block] = block.blocks) depth++;
  expect(depth).toBe(20);
});
