import fc from "fast-check";
import { expect, test } from "vitest";
import { documentText } from "../../document/document-text.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

const options = { pages: [], headersFooters: "drop", images: "placeholder" } as const;

async function textOf(html: string): Promise<string> {
  const input = { bytes: Buffer.from(html, "utf8"), fileName: "", format: "html" };
  const { document } = await readSource(input, options, new Budget(defaultLimits));
  return [...documentText(document.blocks)].join(" ");
}

const names =
  "p div b i a ul ol li dl dt dd table tr td th h1 h2 pre code blockquote span sub br hr math mi mrow figure";
const piece = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...names.split(" ")).map((name) => `<${name}>`) },
  { weight: 2, arbitrary: fc.constantFrom(...names.split(" ")).map((name) => `</${name}>`) },
  { weight: 1, arbitrary: fc.stringMatching(/^[<>&;"'= a-z/!-]{0,12}$/) },
);

test("no soup of tags makes the reader throw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
      await expect(textOf(pieces.join(""))).resolves.toBeTypeOf("string");
    }),
    { numRuns: 500 },
  );
});

const word = fc.integer({ min: 1000, max: 9999 }).map((number) => `w${number}`);
const tag = fc.constantFrom(...names.split(" ").filter((name) => !/^(?:math|mi|mrow|a)$/.test(name)));

test("no word between tags is lost, however they are nested", async () => {
  const marked = fc.array(fc.tuple(tag, fc.boolean(), word), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(marked, async (parts) => {
      const html = parts.map(([name, closes, text]) => `<${closes ? "/" : ""}${name}>${text} `).join("");
      const found = (await textOf(html)).match(/w\d{4}/g) ?? [];
      expect(found.toSorted()).toEqual(parts.map(([, , text]) => text).toSorted());
    }),
    { numRuns: 500 },
  );
});
