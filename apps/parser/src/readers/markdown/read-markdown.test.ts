import { expect, test } from "vitest";
import { createProbe } from "../../detection/create-probe.ts";
import type { Block, Document } from "../../document/document.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { markdown } from "./format.ts";
import { readMarkdown } from "./read-markdown.ts";

interface Read {
  readonly document: Document;
  readonly warnings: readonly string[];
  readonly parts: readonly string[];
}

async function read(text: string): Promise<Read> {
  const warnings: string[] = [];
  const parts: string[] = [];
  const document = await readMarkdown(
    { bytes: Buffer.from(text), fileName: "a.md", format: "md" },
    {
      options: { pages: [], headersFooters: "drop", images: "placeholder" },
      budget: new Budget(defaultLimits),
      depth: 0,
      warn: (sentence) => warnings.push(sentence),
      readPart: async ({ bytes }) => {
        parts.push(Buffer.from(bytes).toString());
        return { metadata: {}, blocks: [{ type: "paragraph", inlines: ["from HTML"] }] };
      },
    },
  );
  return { document, warnings, parts };
}

async function blocksOf(text: string): Promise<readonly Block[]> {
  return (await read(text)).document.blocks;
}

test("dollar signs are formulas where Pandoc reads them so, and prices elsewhere", async () => {
  const formula = { type: "formula", notation: "latex", text: "x" };

  expect(await blocksOf("$5 and $6")).toEqual([{ type: "paragraph", inlines: ["$5 and $6"] }]);
  expect(await blocksOf("a $x$ b")).toEqual([{ type: "paragraph", inlines: ["a ", formula, " b"] }]);
  expect(await blocksOf("$$x$$")).toEqual([formula]);
  expect(await blocksOf("$$\nx\n$$")).toEqual([formula]);
  expect(await blocksOf("```math\nx\n```")).toEqual([formula]);
});

test("tags of HTML in text are the styles they mean, and other words in angle brackets stay", async () => {
  expect(await blocksOf("a<sup>2</sup><br>vector<int> <b>c</b><!-- d -->")).toEqual([
    {
      type: "paragraph",
      inlines: [
        "a",
        { type: "superscript", inlines: ["2"] },
        { type: "lineBreak" },
        "vector",
        "<int>",
        " ",
        { type: "strong", inlines: ["c"] },
      ],
    },
  ]);
});

test("blocks of HTML are read by the reader of HTML, a table with blank lines as one", async () => {
  const { document, parts } = await read("<table>\n<tr><td>a</td></tr>\n\n<tr><td>b</td></tr>\n</table>\n\ntext\n");

  expect(parts).toEqual(["<table>\n<tr><td>a</td></tr>\n<tr><td>b</td></tr>\n</table>"]);
  expect(document.blocks).toHaveLength(2);
});

test("front matter gives the metadata it has, in YAML or TOML, and a warning when it cannot be read", async () => {
  expect((await read("---\ntitle: T\nauthor: A\ndate: 2024-01-02\n---\n\nx\n")).document.metadata).toEqual({
    title: "T",
    authors: ["A"],
    createdAt: "2024-01-02",
  });
  expect((await read('+++\ntitle = "T"\ntags = ["a"]\n+++\n\nx\n')).document.metadata).toEqual({
    title: "T",
    keywords: ["a"],
  });
  expect((await read("---\na: [\n---\n\nx\n")).warnings).toHaveLength(1);
});

test("references go where their definitions say, wherever those stand", async () => {
  expect(await blocksOf("[a][b]\n\n> [b]: https://c.d\n")).toContainEqual({
    type: "paragraph",
    inlines: [{ type: "link", target: "https://c.d", inlines: ["a"] }],
  });
});

test("lines of Chinese join without a space", async () => {
  expect(await blocksOf("第一\n第二")).toEqual([{ type: "paragraph", inlines: ["第一第二"] }]);
});

test.each([">".repeat(10_000), "- ".repeat(10_000) + "a", "1. ".repeat(10_000) + "a"])(
  "quotes and lists nested without end are refused",
  async (text) => {
    await expect(read(text)).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  },
);

test.each([
  "[".repeat(100_000),
  "*a ".repeat(50_000),
  "a* ".repeat(50_000),
  "![[]()".repeat(20_000),
  "a <!-- ".repeat(20_000),
])("marks without end stay text, with a warning", async (text) => {
  const { document, warnings } = await read(text);

  expect(document.blocks).toEqual([{ type: "paragraph", inlines: [text.trim()] }]);
  expect(warnings).toHaveLength(1);
});

test("a rule across the page is no nest of lists", async () => {
  expect(await blocksOf("* ".repeat(1000))).toEqual([]);
});

test.each([
  ["# T\n\nA **b** and [c](https://d.e).\n\n- x\n- y\n", true],
  ["plain text\nover lines\n", false],
  ["#include <stdio.h>\nint main() { return a[0]*b; }\n", false],
])("%j looks like Markdown: %s", (text, isLikely) => {
  expect((markdown.sniff?.(createProbe(Buffer.from(text))) ?? 0) > 0).toBe(isLikely);
});
