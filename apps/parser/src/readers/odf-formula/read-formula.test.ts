import { makeZip } from "@attune/testkit/make-zip.ts";
import { expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

const read = (content: string) =>
  readSource(
    { bytes: makeZip([{ name: "content.xml", bytes: content }]), fileName: "a.odf", format: "odf" },
    { pages: [], headersFooters: "drop", images: "placeholder" },
    new Budget(defaultLimits),
  );
const namespace = 'xmlns:math="http://www.w3.org/1998/Math/MathML"';

test("a formula is given as LaTeX, with the document type of old files and without", async () => {
  const math = `<math:math ${namespace}><math:mfrac><math:mi>a</math:mi><math:mn>2</math:mn></math:mfrac></math:math>`;
  const doctype = '<!DOCTYPE math:math PUBLIC "-//OpenOffice.org//DTD Modified W3C MathML 1.01//EN" "math.dtd">';

  for (const content of [math, doctype + math])
    expect((await read(content)).document.blocks).toEqual([
      { type: "formula", notation: "latex", text: String.raw`\frac{a}{2}` },
    ]);
});

test("what has no formula is corrupt, what nests without end or declares entities is refused", async () => {
  const deep = `<math:math ${namespace}>${"<math:mrow>".repeat(5_000)}${"</math:mrow>".repeat(5_000)}</math:math>`;

  await expect(read("<other/>")).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  await expect(read(deep)).rejects.toMatchObject({ reason: "MARKUP_REFUSED" });
  await expect(read('<!DOCTYPE m [<!ENTITY e SYSTEM "file:///etc/passwd">]><math>&e;</math>')).rejects.toMatchObject({
    reason: "MARKUP_REFUSED",
  });
});
