import { makePdf, pdfRule, pdfText } from "@attune/testkit/make-pdf.ts";
import { expect, test } from "vitest";
import { Budget } from "../../../limits/budget.ts";
import { defaultLimits } from "../../../limits/default-limits.ts";
import { readSource } from "../../../reading/read-source.ts";

const body = (page: number) =>
  pdfText("Journal of Examples", { x: 72, y: 770, size: 8 }) +
  pdfText(`Chapter number ${page} of the book`, { x: 72, y: 660, size: 18, font: "bold" }) +
  Array.from({ length: 12 }, (_, line) =>
    pdfText("Some words of running text that fill <a> line & go on.", { x: 72, y: 630 - line * 12 }),
  ).join("") +
  pdfRule([72, 400], [300, 400]);

async function explain(page: number, contents: readonly string[]): Promise<string | undefined> {
  const pictures: string[] = [];
  const bytes = makePdf({ pages: contents.map((content) => ({ content })) });
  const explaining = { page, report: (svg: string) => pictures.push(svg) };
  const options = { pages: [], headersFooters: "drop", images: "none", explain: explaining } as const;
  await readSource({ bytes, fileName: "a.pdf", format: "pdf" }, options, new Budget(defaultLimits));
  return pictures[0];
}

test("the picture of a page shows roles, furniture, regions and rules, with its text escaped", async () => {
  const svg = (await explain(2, [body(1), body(2), body(3)])) ?? "";
  expect(svg).toMatch(/^<svg xmlns=.*<\/svg>\n$/s);
  expect(svg).toContain("<title>heading 1: Chapter number 2 of the book</title>");
  expect(svg).toContain("<title>paragraph: Some words of running text that fill &lt;a&gt; line &amp; go on.");
  expect(svg).toContain("<title>left out</title>");
  expect(svg).toContain('stroke-dasharray="6 3"');
  expect(svg).toContain("Page 2");
  expect(svg).not.toContain("<a>");
  expect(svg).toMatch(/<rect x="72" y="392" width="228" height="0"[^>]*stroke="#000" stroke-width="0.8"/);
});

test("only the page that was asked for is drawn, and none when there is no such page", async () => {
  expect(await explain(1, [body(1), body(2)])).not.toContain("Chapter number 2");
  expect(await explain(3, [body(1), body(2)])).toBeUndefined();
});

test("a page with a flood of letters gives a bounded picture that says so", async () => {
  const flood = Array.from({ length: 700 }, (_, line) =>
    pdfText(`${line} words and more of them without an end`, {
      x: 20 + (line % 4) * 140,
      y: 780 - (line >> 2) * 4,
      size: 3,
    }),
  ).join("");
  const svg = (await explain(1, [flood])) ?? "";
  expect(svg.split("\n").length).toBeLessThan(25_100);
  expect(svg).toContain("more boxes than are drawn here");
});
