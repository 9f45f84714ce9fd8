import { zlibFlood } from "@attune/testkit/hostile/floods.ts";
import { formLaughs, onePagePdf, packedContent, type PdfObject, pdfHello } from "@attune/testkit/hostile/pdf-floods.ts";
import { type Expectation, type HostileCase, testHostileFamily } from "./hostile-family.ts";

const mib = 1 << 20;
const isRead: Expectation = {
  readBecause: "the line of text is there, and the rest holds none",
  content: /Hello world of text\./,
};
const twice = zlibFlood(zlibFlood(Buffer.alloc(mib, 0x20), 64), 1);
const toUnicode = (lines: string): PdfObject => ({
  dictionary: "",
  stream: `/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange\n${lines}\nendcmap end end`,
});
const mappedFont = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>";
const withMap = (lines: string): Buffer =>
  onePagePdf({ resources: "/Font << /F 7 0 R >>", more: [toUnicode(lines), mappedFont] });

const streams: HostileCase[] = [
  {
    id: "P1",
    what: "a content stream of 1 GiB of spaces",
    name: "p1.pdf",
    make: () => onePagePdf({ content: packedContent(" ".repeat(mib), 1024) }),
    expected: "MEMORY_EXCEEDED",
  },
  {
    id: "P2",
    what: "a chain of three filters that expands to 64 MiB and more",
    name: "p2.pdf",
    make: () =>
      onePagePdf({
        content: { dictionary: "/Filter [/FlateDecode /FlateDecode /FlateDecode]", stream: zlibFlood(twice, 1) },
      }),
    expected: "TEXT_NOT_FOUND",
  },
  {
    id: "P3",
    what: "five thousand filters",
    name: "p3.pdf",
    make: () => onePagePdf({ content: { dictionary: `/Filter [${"/FlateDecode ".repeat(5000)}]`, stream: pdfHello } }),
    expected: isRead,
  },
  {
    id: "P4",
    what: "300 MiB of operators that show text",
    name: "p4.pdf",
    make: () => onePagePdf({ content: packedContent("(a) Tj ".repeat(150_000), 300) }),
    expected: "MEMORY_EXCEEDED",
  },
  {
    id: "P5",
    what: "a hundred thousand words on a page",
    name: "p5.pdf",
    make: () =>
      onePagePdf({ content: { dictionary: "", stream: `BT /F 1 Tf 72 700 Td ${"(word ) Tj ".repeat(100_000)} ET` } }),
    expected: { readBecause: "they are words", content: /word/ },
  },
  {
    id: "P6",
    what: "forms in forms, ten to the tenth power",
    name: "p6.pdf",
    make: () =>
      onePagePdf({
        content: { dictionary: "", stream: `${pdfHello}/X Do` },
        resources: "/XObject << /X 6 0 R >>",
        more: formLaughs(10),
      }),
    expected: "MEMORY_EXCEEDED",
  },
  {
    id: "P7",
    what: "a form that draws itself",
    name: "p7.pdf",
    make: () =>
      onePagePdf({
        content: { dictionary: "", stream: `${pdfHello}/X Do` },
        resources: "/XObject << /X 6 0 R >>",
        more: [
          {
            dictionary: "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>",
            stream: "/X Do",
          },
        ],
      }),
    expected: isRead,
  },
  {
    id: "P15",
    what: "thirty million saved states",
    name: "p15.pdf",
    make: () => onePagePdf({ content: packedContent("q ".repeat(500_000), 60) }),
    expected: "MEMORY_EXCEEDED",
  },
  {
    id: "P13",
    what: "a million arrays inside one another",
    name: "p13.pdf",
    make: () => onePagePdf({ content: { dictionary: "", stream: `${pdfHello}${"[".repeat(1_000_000)}` } }),
    expected: isRead,
  },
  {
    id: "P14",
    what: "200,000 dictionaries inside one another",
    name: "p14.pdf",
    make: () => onePagePdf({ page: `/PieceInfo ${"<< /A ".repeat(200_000)}` }),
    expected: isRead,
  },
  {
    id: "P16",
    what: "a length that leads to itself",
    name: "p16.pdf",
    make: () => onePagePdf({ content: `<< /Length 4 0 R >>\nstream\n${pdfHello}endstream` }),
    expected: isRead,
  },
  {
    id: "P32",
    what: "one code that stands for 512 letters",
    name: "p32.pdf",
    make: () => withMap(`1 beginbfchar <0048> <${"0041".repeat(512)}> endbfchar`),
    expected: { readBecause: "the file says what the code stands for", content: /./ },
  },
  {
    id: "P23",
    what: "a map of a million codes",
    name: "p23.pdf",
    make: () => withMap(`1 beginbfrange ${"<0000> <FFFF> <0041>\n".repeat(200_000)}endbfrange`),
    expected: { readBecause: "the text is there", content: /./ },
  },
  {
    id: "P23b",
    what: "a range of codes of 32 bits",
    name: "p23b.pdf",
    make: () =>
      withMap(
        "1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange 1 begincidrange <00000000> <FFFFFFFF> 0 endcidrange",
      ),
    expected: { readBecause: "the text is there", content: /./ },
  },
];

testHostileFamily({ family: "PDF contents" }, streams);
