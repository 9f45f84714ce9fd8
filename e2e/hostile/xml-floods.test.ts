import { nest, sequence } from "@attune/testkit/hostile/floods.ts";
import { makeOdf } from "@attune/testkit/hostile/packages.ts";
import { makeDocx, root } from "@attune/testkit/make-ooxml.ts";
import { type Expectation, type HostileCase, testHostileFamily } from "./hostile-family.ts";

const word = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`;
const hello = "<w:p><w:r><w:t>Hello world.</w:t></w:r></w:p>";
const main = (prolog: string, content = hello): Buffer =>
  makeDocx({ body: "", mainPart: `${prolog}<w:document ${word}><w:body>${content}</w:body></w:document>` });
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const isRead: Expectation = { readBecause: "it is well formed, and harmless", content: /Hello world\./ };

const floods: HostileCase[] = [
  {
    id: "X8",
    what: "200,000 elements inside one another",
    name: "x8.docx",
    make: () => main("", "<w:sdt>".repeat(200_000)),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X8b",
    what: "the same in a text document",
    name: "x8b.odt",
    make: () => makeOdf("text", { body: nest("x", 200_000, (inner) => inner) + "<text:span>".repeat(200_000) }),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X9",
    what: "150,000 attributes",
    name: "x9.docx",
    make: () => main("", `<w:p ${sequence(80_000, (n) => `w:a${n}="" `)}><w:r><w:t>Hello world.</w:t></w:r></w:p>`),
    expected: isRead,
  },
  {
    id: "X9b",
    what: "a megabyte of letters in place of attributes",
    name: "x9b.docx",
    make: () => main("", `<w:p ${"a".repeat(1_000_000)}><w:r><w:t>Hello world.</w:t></w:r></w:p>`),
    expected: isRead,
  },
  {
    id: "X10",
    what: "a million siblings",
    name: "x10.docx",
    make: () => main("", `${"<w:bookmarkEnd/>".repeat(1_000_000)}${hello}`),
    expected: isRead,
  },
  {
    id: "X10b",
    what: "a million empty paragraphs",
    name: "x10b.docx",
    make: () => main("", `${"<w:p/>".repeat(1_000_000)}${hello}`),
    expected: isRead,
  },
  {
    id: "X11",
    what: "a million numeric references",
    name: "x11.docx",
    make: () => main("", `${hello}${paragraph("&#65;".repeat(1_000_000))}`),
    expected: { readBecause: "they are a million letters", content: /A{1000000}/ },
  },
  {
    id: "X12",
    what: "a name of five megabytes",
    name: "x12.docx",
    make: () => main("", `<${"a".repeat(5_000_000)}/>`),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X13",
    what: "five megabytes of <",
    name: "x13.docx",
    make: () => main("", "<".repeat(5_000_000)),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "X13b",
    what: "a million beginnings of comments",
    name: "x13b.docx",
    make: () => main("", "<!--".repeat(1_000_000)),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "X13c",
    what: "half a million beginnings of CDATA",
    name: "x13c.docx",
    make: () => main("", "<![CDATA[".repeat(500_000)),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "X14",
    what: "elements and styles called __proto__",
    name: "x14.docx",
    make: () =>
      makeDocx({
        body: `<__proto__><constructor/></__proto__><w:p><w:pPr><w:pStyle w:val="__proto__"/></w:pPr><w:r><w:t>Hello world.</w:t></w:r></w:p>`,
        parts: {
          styles: `<w:style w:type="paragraph" w:styleId="__proto__"><w:name w:val="constructor"/><w:basedOn w:val="__proto__"/></w:style>`,
        },
      }),
    expected: isRead,
  },
  {
    id: "X15",
    what: "40,000 namespaces, and 100,000 below them",
    name: "x15.docx",
    make: () =>
      main(
        "",
        `<w:sdt ${sequence(40_000, (n) => `xmlns:p${n}="u" `)}><w:sdtContent>${`<w:bookmarkEnd xmlns:q="v"/>`.repeat(100_000)}${hello}</w:sdtContent></w:sdt>`,
      ),
    expected: isRead,
  },
  {
    id: "X16",
    what: "XInclude of a file",
    name: "x16.docx",
    make: () =>
      main(
        "",
        `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="file:///etc/passwd"/>${hello}`,
      ),
    expected: { readBecause: "includes are not followed", content: /Hello world/, lacks: /root:/ },
  },
  {
    id: "X17",
    what: "a style sheet to be fetched",
    name: "x17.docx",
    make: () => main(`<?xml-stylesheet type="text/xsl" href="http://127.0.0.1:1/x.xsl"?>`),
    expected: isRead,
  },
  {
    id: "X20",
    what: "a main part that is no XML",
    name: "x20.docx",
    make: () => makeDocx({ body: "", mainPart: "This is no XML." }),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "X21",
    what: "a main part that ends in the middle",
    name: "x21.docx",
    make: () => makeDocx({ body: "", mainPart: root("w:document", `<w:body>${hello}`).slice(0, -20) }),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "X22",
    what: "relationships that are no XML",
    name: "x22.docx",
    make: () => makeDocx({ body: hello, members: { "_rels/.rels": "<<<<" } }),
    expected: { readBecause: "the main part has its usual name", content: /Hello world/, message: /damaged/ },
  },
];

testHostileFamily({ family: "XML floods" }, floods);
