import { makeDocx } from "@attune/testkit/make-ooxml.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

async function read(body: string) {
  const bytes = makeDocx({ body, parts: { styles, numbering } });
  const options = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  return (await readSource({ bytes, fileName: "a.docx", format: "docx" }, options, new Budget(defaultLimits))).document;
}

const styles = ["heading 1", "Quote", "Source Code", "List Paragraph", "caption", "Title", "toc 1"]
  .map((name, index) => `<w:style w:type="paragraph" w:styleId="s${index}"><w:name w:val="${name}"/></w:style>`)
  .join("");
const numbering =
  `<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/><w:lvlText w:val="%2."/></w:lvl></w:abstractNum>` +
  `<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`;

/** Marks for the words of a document, numbered when it is put together. */
const word = fc.constant("<w:r><w:t>@</w:t></w:r>");
const bold = fc.constant("<w:r><w:rPr><w:b/></w:rPr><w:t>@</w:t></w:r>");
const breaks = fc.constantFrom("<w:r><w:br/></w:r>", "<w:r><w:tab/></w:r>", "<w:bookmarkStart w:id='1' w:name='x'/>");
const wrapInline = (content: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    `<w:ins>${content}</w:ins>`,
    `<w:smartTag>${content}</w:smartTag>`,
    `<w:sdt><w:sdtContent>${content}</w:sdtContent></w:sdt>`,
    `<w:hyperlink w:anchor="x">${content}</w:hyperlink>`,
    `<w:fldSimple w:instr="REF x">${content}</w:fldSimple>`,
    `<mc:AlternateContent><mc:Choice Requires="w14">${content}</mc:Choice><mc:Fallback/></mc:AlternateContent>`,
  );
const inline = fc.array(fc.oneof(word, word, bold, breaks), { maxLength: 4 }).map((runs) => runs.join(""));
const inlines = fc.oneof(inline, inline.chain(wrapInline));
const properties = fc.oneof(
  fc.constant(""),
  fc.nat(6).map((index) => `<w:pStyle w:val="s${index}"/>`),
  fc.nat(1).map((level) => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`),
  fc.constant('<w:ind w:left="720"/>'),
);
const paragraph = fc
  .tuple(properties, inlines)
  .map(([style, content]) => `<w:p><w:pPr>${style}</w:pPr>${content}</w:p>`);
const cell = (content: string): string => `<w:tc>${content}</w:tc>`;
const block = fc.letrec<{ block: string }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    paragraph,
    fc
      .array(tie("block"), { maxLength: 3 })
      .map((blocks) => `<w:sdt><w:sdtContent>${blocks.join("")}</w:sdtContent></w:sdt>`),
    fc
      .array(fc.array(tie("block"), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((rows) => `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map(cell).join("")}</w:tr>`).join("")}</w:tbl>`),
  ),
})).block;

test("every word is in the document once, however it is wrapped", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 8 }), async (blocks) => {
      let count = 0;
      const body = blocks.join("").replaceAll("@", () => `w${count++}w`);

      const document = await read(body);
      const found = [...JSON.stringify(document.blocks).matchAll(/w(\d+)w/g)].map(([, number]) => Number(number));
      found.sort((a, b) => a - b);

      expect(found).toEqual(Array.from({ length: count }, (_, number) => number));
    }),
    { numRuns: 200 },
  );
});

test("damage anywhere in the text gives a document or a reason, never anything else", async () => {
  const body = fc.tuple(fc.array(block, { minLength: 1, maxLength: 4 }), fc.nat(), fc.string({ maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(body, async ([blocks, at, noise]) => {
      const whole = blocks.join("");
      const cut = at % (whole.length + 1);
      const damaged = whole.slice(0, cut) + noise + whole.slice(cut + noise.length);

      const outcome = await read(damaged).then(
        () => "document",
        (error: { reason?: string }) => error.reason,
      );

      expect(["document", "DOCUMENT_CORRUPT", "MARKUP_REFUSED"]).toContain(outcome);
    }),
    { numRuns: 200 },
  );
});
