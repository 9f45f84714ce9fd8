import { sequence } from "@attune/testkit/hostile/floods.ts";
import { makeEpub, makeOdf, makeXlsx } from "@attune/testkit/hostile/packages.ts";
import { makeDocx, makePptx } from "@attune/testkit/make-ooxml.ts";
import { type Expectation, type HostileCase, testHostileFamily } from "./hostile-family.ts";

const word = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`;
const hello = "<w:p><w:r><w:t>Hello world.</w:t></w:r></w:p>";
const main = (prolog: string, content = hello): Buffer =>
  makeDocx({ body: "", mainPart: `${prolog}<w:document ${word}><w:body>${content}</w:body></w:document>` });
const laughs = `<!DOCTYPE r [<!ENTITY a "ha">${sequence(10, (level) => `<!ENTITY ${"bcdefghijk"[level]} "${`&${"abcdefghij"[level]};`.repeat(10)}">`)}]>`;
const external = (target: string): string => `<!DOCTYPE r [<!ENTITY x SYSTEM "${target}">]>`;
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const isRead: Expectation = { readBecause: "it is well formed, and harmless", content: /Hello world\./ };

const declarations: HostileCase[] = [
  {
    id: "X1",
    what: "a billion laughs in Word",
    name: "x1.docx",
    make: () => main(laughs, paragraph("&k;")),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X1b",
    what: "a billion laughs in a text document",
    name: "x1b.odt",
    make: () => makeOdf("text", { content: `${laughs}<r>&k;</r>` }),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X1c",
    what: "a billion laughs in a sheet",
    name: "x1c.xlsx",
    make: () => makeXlsx({ sheetPart: `${laughs}<worksheet>&k;</worksheet>` }),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X1d",
    what: "a billion laughs in shared strings",
    name: "x1d.xlsx",
    make: () =>
      makeXlsx({
        sheet: `<sheetData><row><c t="s"><v>0</v></c></row></sheetData>`,
        sharedStrings: `${laughs}<sst><si><t>&k;</t></si></sst>`,
      }),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X1e",
    what: "a billion laughs in a slide",
    name: "x1e.pptx",
    make: () => makePptx([{ shapes: "" }], { "ppt/slides/slide1.xml": `${laughs}<r>&k;</r>` }),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X1f",
    what: "a billion laughs in a book's package",
    name: "x1f.epub",
    make: () => makeEpub({ prolog: laughs }),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X1g",
    what: "a billion laughs in FictionBook",
    name: "x1g.fb2",
    make: () => `<?xml version="1.0"?>${laughs}<FictionBook><body><section><p>&k;</p></section></body></FictionBook>`,
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X1h",
    what: "a billion laughs in XHTML",
    name: "x1h.xhtml",
    make: () =>
      `<?xml version="1.0"?>${laughs}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>&k;</p></body></html>`,
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X1i",
    what: "a billion laughs in plain XML",
    name: "x1i.xml",
    make: () => `<?xml version="1.0"?>${laughs}<r>&k;</r>`,
    expected: { readBecause: "it is shown as it stands, and nothing is expanded", content: /&k;/, lacks: /haha/ },
  },
  {
    id: "X1j",
    what: "a billion laughs in SVG",
    name: "x1j.svg",
    make: () => `${laughs}<svg xmlns="http://www.w3.org/2000/svg"><text>&k;</text></svg>`,
    expected: { readBecause: "it is shown as it stands, and nothing is expanded", content: /&k;/, lacks: /haha/ },
  },
  {
    id: "X2",
    what: "quadratic expansion",
    name: "x2.docx",
    make: () => main(`<!DOCTYPE r [<!ENTITY a "${"x".repeat(100_000)}">]>`, paragraph("&a;".repeat(30_000))),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X3",
    what: "an external entity of a file",
    name: "x3.docx",
    make: () => main(external("file:///etc/passwd"), paragraph("&x;")),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X4",
    what: "an external entity of a server",
    name: "x4.docx",
    make: () => main(external("http://127.0.0.1:1/"), paragraph("&x;")),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X5",
    what: "a parameter entity",
    name: "x5.docx",
    make: () => main(`<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>`),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X6",
    what: "two document type declarations",
    name: "x6.docx",
    make: () => main(`<!DOCTYPE r>${laughs}`),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X7",
    what: "a declaration in UTF-16",
    name: "x7.docx",
    make: () =>
      makeDocx({
        body: "",
        members: { "word/document.xml": Buffer.from(`\uFEFF${laughs}<w:document ${word}/>`, "utf16le") },
      }),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X7b",
    what: "a declaration in UTF-7",
    name: "x7b.docx",
    make: () => main(`<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE r+AD4-`),
    expected: { readBecause: "UTF-7 is no encoding of XML here, so there is no declaration", content: /Hello world/ },
  },
  {
    id: "X18",
    what: "forms in XML (XFA) with entities in PDF",
    name: "x18.pdf",
    make: () => makeXfaPdf(),
    expected: { readBecause: "forms in XML are not read", content: /Hello world/, lacks: /haha|root:/ },
  },
  {
    id: "X19",
    what: "a declaration in a part that holds no text",
    name: "x19.docx",
    make: () => makeDocx({ body: hello, members: { "customXml/item1.xml": `${laughs}<r>&k;</r>` } }),
    expected: isRead,
  },
];

function makeXfaPdf(): Uint8Array {
  const xfa = `<?xml version="1.0"?>${laughs}${external("file:///etc/passwd")}<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">&k;&x;</xdp:xdp>`;
  const content = "BT /F 12 Tf 72 700 Td (Hello world of text.) Tj ET";
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] /XFA 6 0 R >> >>`,
    `<< /Type /Pages /Count 1 /Kids [3 0 R] >>`,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>`,
    `<< /Length ${xfa.length} >>\nstream\n${xfa}\nendstream`,
  ];
  return Buffer.from(
    `%PDF-1.7\n${objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join("")}trailer << /Root 1 0 R /Size 7 >>\n%%EOF\n`,
    "latin1",
  );
}

testHostileFamily({ family: "XML declarations" }, declarations);
