import { makeCompound } from "@attune/testkit/hostile/compound-lies.ts";
import { makeEpub, makeOdf, makeXlsx, sheetData } from "@attune/testkit/hostile/packages.ts";
import { makeDocx } from "@attune/testkit/make-ooxml.ts";
import { type Expectation, type HostileCase, testHostileFamily } from "./hostile-family.ts";

const hello = "<w:p><w:r><w:t>Hello world.</w:t></w:r></w:p>";
const cell = (text: string, at = "A1"): string => `<row><c r="${at}" t="inlineStr"><is><t>${text}</t></is></c></row>`;
const picture = `<w:p><w:r><w:drawing><wp:inline><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:link="far"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
const isRead: Expectation = {
  readBecause: "what is hostile is left alone",
  content: /Hello world\./,
  lacks: /root:|secret/,
};
const sheetIsRead: Expectation = { readBecause: "only cells that hold something count", content: /Hello world\./ };
const farPicture = (target: string) => () =>
  makeDocx({ body: `${hello}${picture}`, links: [{ id: "far", kind: "image", target, isExternal: true }] });
const encrypted = makeCompound({ stream: "EncryptedPackage", streamBytes: 4096 });

const word: HostileCase[] = [
  {
    id: "O1",
    what: "a picture that is a file of the machine",
    name: "o1.docx",
    make: farPicture("file:///etc/passwd"),
    expected: isRead,
    overrides: { images: "data_uri" },
  },
  {
    id: "O1b",
    what: "a picture on a server",
    name: "o1b.docx",
    make: farPicture("http://127.0.0.1:1/x.png"),
    expected: isRead,
    overrides: { images: "data_uri" },
  },
  {
    id: "O1c",
    what: "a picture on a Windows share",
    name: "o1c.docx",
    make: farPicture("\\\\127.0.0.1\\x\\y.png"),
    expected: isRead,
    overrides: { images: "data_uri" },
  },
  {
    id: "O2",
    what: "a template to be fetched",
    name: "o2.docx",
    make: () =>
      makeDocx({
        body: hello,
        links: [{ id: "t", kind: "attachedTemplate", target: "http://127.0.0.1:1/t.dotm", isExternal: true }],
      }),
    expected: isRead,
  },
  {
    id: "O3",
    what: "macros and DDE fields",
    name: "o3.docm",
    make: () =>
      makeDocx({
        body: `<w:p><w:fldSimple w:instr="DDEAUTO c:\\\\windows\\\\system32\\\\cmd.exe"><w:r><w:t>Hello world.</w:t></w:r></w:fldSimple></w:p>`,
        members: { "word/vbaProject.bin": makeCompound() },
      }),
    expected: isRead,
  },
  {
    id: "O4",
    what: "a program embedded",
    name: "o4.docx",
    make: () =>
      makeDocx({ body: hello, members: { "word/embeddings/oleObject1.bin": Buffer.from("MZ secret program") } }),
    expected: isRead,
  },
  {
    id: "O12",
    what: "100,000 paragraphs in a small file",
    name: "o12.docx",
    make: () => makeDocx({ body: hello.repeat(100_000) }),
    expected: isRead,
  },
  {
    id: "O12b",
    what: "300,000 paragraphs where 250,000 may be",
    name: "o12b.docx",
    make: () => makeDocx({ body: "<w:p><w:r><w:t>x</w:t></w:r></w:p>".repeat(300_000) }),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "O13",
    what: "3,000 tables inside one another",
    name: "o13.docx",
    make: () =>
      makeDocx({ body: `${"<w:tbl><w:tr><w:tc>".repeat(3000)}${hello}${"</w:tc></w:tr></w:tbl>".repeat(3000)}` }),
    expected: "MARKUP_REFUSED",
  },
  {
    id: "O14",
    what: "a cell two thousand million columns wide",
    name: "o14.docx",
    make: () =>
      makeDocx({
        body: `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2000000000"/></w:tcPr>${hello}</w:tc></w:tr></w:tbl>`,
      }),
    expected: isRead,
  },
  {
    id: "O15",
    what: "a link that is a script",
    name: "o15.docx",
    make: () =>
      makeDocx({
        body: `<w:p><w:hyperlink r:id="h"><w:r><w:t>Hello world.</w:t></w:r></w:hyperlink></w:p>`,
        links: [{ id: "h", kind: "hyperlink", target: "javascript:alert(1)", isExternal: true }],
      }),
    expected: { readBecause: "its text stays", content: /Hello world/, lacks: /javascript:/ },
  },
  {
    id: "O31",
    what: "a description of a picture made of 900 KB of one phrase",
    name: "o31.docx",
    make: () => {
      const phrase = "Description automatically generated with ".repeat(22_000);
      return makeDocx({
        body: `${hello}${picture.replace("<a:graphic>", `<wp:docPr id="1" descr="${phrase}"/><a:graphic>`)}`,
      });
    },
    expected: isRead,
  },
  {
    id: "O17",
    what: "a page with the name of a Word document",
    name: "o17.docx",
    make: () => "<html><body><p>Hello world.</p></body></html>",
    expected: isRead,
  },
];

const sheets: HostileCase[] = [
  {
    id: "O7",
    what: "one cell at XFD1048576",
    name: "o7.xlsx",
    make: () =>
      makeXlsx({
        sheet: sheetData([`<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>Hello world.</t></is></c></row>`]),
      }),
    expected: sheetIsRead,
  },
  {
    id: "O8",
    what: "a dimension that lies",
    name: "o8.xlsx",
    make: () => makeXlsx({ sheet: `<dimension ref="A1:XFD1048576"/>${sheetData([cell("Hello world.")])}` }),
    expected: sheetIsRead,
  },
  {
    id: "O9",
    what: "all cells merged into one",
    name: "o9.xlsx",
    make: () =>
      makeXlsx({
        sheet: `${sheetData([cell("Hello world.")])}<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`,
      }),
    expected: sheetIsRead,
  },
  {
    id: "O9b",
    what: "a hundred thousand merges that overlap",
    name: "o9b.xlsx",
    make: () =>
      makeXlsx({
        sheet: `${sheetData([cell("Hello world.")])}<mergeCells>${`<mergeCell ref="A1:ZZ9999"/>`.repeat(100_000)}</mergeCells>`,
      }),
    expected: sheetIsRead,
  },
  {
    id: "O10",
    what: "400,000 cells where 300,000 may be",
    name: "o10.xlsx",
    make: () => makeXlsx({ sheet: sheetData([`<row>${"<c><v>1</v></c>".repeat(10_000)}</row>`.repeat(40)]) }),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "O11",
    what: "a cell of 50 MiB in a small file",
    name: "o11.xlsx",
    make: () => makeXlsx({ sheet: sheetData([cell("x".repeat(50 << 20))]) }),
    expected: "OUTPUT_TOO_LARGE",
  },
  {
    id: "O11b",
    what: "one shared string used a hundred thousand times",
    name: "o11b.xlsx",
    make: () =>
      makeXlsx({
        sheet: sheetData([`<row>${`<c t="s"><v>0</v></c>`.repeat(100)}</row>`.repeat(1000)]),
        sharedStrings: `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>${"x".repeat(100_000)}</t></si></sst>`,
      }),
    expected: "OUTPUT_TOO_LARGE",
  },
  {
    id: "O26",
    what: "a row repeated two thousand million times",
    name: "o26.ods",
    make: () =>
      makeOdf("spreadsheet", {
        body: `<table:table table:name="S"><table:table-row table:number-rows-repeated="2000000000"><table:table-cell table:number-columns-repeated="2000000000"><text:p>Hello world.</text:p></table:table-cell></table:table-row></table:table>`,
      }),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "O27",
    what: "two thousand million spaces",
    name: "o27.odt",
    make: () => makeOdf("text", { body: `<text:p>Hello world.<text:s text:c="2000000000"/></text:p>` }),
    expected: isRead,
  },
  {
    id: "O28",
    what: "a column repeated without end in a text document",
    name: "o28.odt",
    make: () =>
      makeOdf("text", {
        body: `<table:table><table:table-row><table:table-cell table:number-columns-spanned="2000000000"><text:p>Hello world.</text:p></table:table-cell></table:table-row></table:table>`,
      }),
    expected: isRead,
  },
  {
    id: "O29",
    what: "a book whose spine repeats one chapter",
    name: "o29.epub",
    make: () => makeEpub({ chapter: "<p>Hello world.</p>", spine: `<itemref idref="c"/>`.repeat(200_000) }),
    expected: isRead,
  },
  {
    id: "O29b",
    what: "a book whose chapters lie outside of it",
    name: "o29b.epub",
    make: () =>
      makeEpub({
        chapter: "<p>Hello world.</p>",
        manifest: `<item id="x" href="file:///etc/passwd" media-type="application/xhtml+xml"/><item id="y" href="../../../etc/passwd" media-type="application/xhtml+xml"/>`,
        spine: `<itemref idref="x"/><itemref idref="y"/>`,
      }),
    expected: isRead,
  },
];

const compounds: HostileCase[] = [
  {
    id: "O5",
    what: "a compound file (MSG) whose directory has no end",
    name: "o5b.msg",
    make: () => makeCompound({ stream: "__properties_version1.0" }),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "O5b",
    what: "the same as an old workbook",
    name: "o5c.xls",
    make: () => makeCompound({ stream: "Workbook" }),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "O6",
    what: "an allocation table of 2 GiB",
    name: "o6.msg",
    make: () => makeCompound({ stream: "__properties_version1.0", tableSectors: 0x3fffff, moreTablesAt: 0 }),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "O6b",
    what: "the same as an old workbook",
    name: "o6b.xls",
    make: () => makeCompound({ stream: "Workbook", tableSectors: 0x3fffff, moreTablesAt: 0 }),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "O16",
    what: "an encrypted package that is broken",
    name: "o16.docx",
    make: () => encrypted,
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "O30",
    what: "nothing but the signature of a compound file",
    name: "o30.msg",
    make: () => Buffer.from("d0cf11e0a1b11ae1", "hex"),
    expected: "UNSUPPORTED_FILE_TYPE",
  },
];

const environment = (): Record<string, string> => ({ PARSER_MAX_TABLE_CELLS: "300000", PARSER_MAX_BLOCKS: "250000" });

testHostileFamily({ family: "office documents", environment }, [...word, ...sheets, ...compounds]);
