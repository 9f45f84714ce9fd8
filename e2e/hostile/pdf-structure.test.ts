import { sequence } from "@attune/testkit/hostile/floods.ts";
import { assemblePdf, onePagePdf, type PdfObject, pdfHello } from "@attune/testkit/hostile/pdf-floods.ts";
import { makePdf, pdfText } from "@attune/testkit/make-pdf.ts";
import { type Expectation, type HostileCase, testHostileFamily } from "./hostile-family.ts";

const isRead: Expectation = {
  readBecause: "the line of text is there, and the rest holds none",
  content: /Hello world of text\./,
};
const secured = (security: string): Buffer =>
  onePagePdf({ trailer: `/Encrypt << ${security} >> /ID [(0123456789abcdef) (0123456789abcdef)]` });
const pageTree = (kids: string, count: number): Buffer =>
  onePagePdf({ pages: `<< /Type /Pages /Count ${count} /Kids [${kids}] >>` });

const structures: HostileCase[] = [
  {
    id: "P8",
    what: "two thousand million pages claimed",
    name: "p8.pdf",
    make: () => pageTree("3 0 R", 2_000_000_000),
    expected: isRead,
  },
  {
    id: "P9",
    what: "a page tree that holds itself",
    name: "p9.pdf",
    make: () => pageTree("2 0 R 2 0 R 3 0 R", 9),
    expected: { ...isRead, message: /./ },
  },
  {
    id: "P10",
    what: "one page 200,000 times",
    name: "p10.pdf",
    make: () => pageTree("3 0 R ".repeat(200_000), 200_000),
    expected: {
      readBecause: "the pages up to the limit are read",
      content: /Hello world of text\./,
      message: /PARSER_MAX_PAGES/,
    },
  },
  {
    id: "P11",
    what: "a page tree 5,000 deep",
    name: "p11.pdf",
    make: () =>
      onePagePdf({
        pages: "<< /Type /Pages /Count 1 /Kids [6 0 R] >>",
        more: Array.from(
          { length: 5000 },
          (_, n) =>
            `<< /Type /Pages /Count 1 /Parent ${n === 0 ? 2 : 5 + n} 0 R /Kids [${n === 4999 ? 3 : 7 + n} 0 R] >>`,
        ),
      }),
    expected: "DOCUMENT_CORRUPT",
  },
  ...["[0 0 1e38 1e38]", "[nan 0 -1 9]", "[612 792 0 0]", "[0 0 0 0]"].map((box, index): HostileCase => ({
    id: `P12-${index + 1}`,
    what: `a page box ${box}`,
    name: `p12-${index}.pdf`,
    make: () => onePagePdf({ page: `/MediaBox ${box}` }),
    expected: isRead,
  })),
  {
    id: "P17",
    what: "a cross-reference table whose predecessor is itself",
    name: "p17.pdf",
    make: () => selfPreviousPdf(),
    expected: isRead,
  },
  {
    id: "P18",
    what: "a cross-reference table of two thousand million entries",
    name: "p18.pdf",
    make: () => Buffer.from(onePagePdf().toString("latin1").replace("xref\n0 6", "xref\n0 2000000000"), "latin1"),
    expected: isRead,
  },
  {
    id: "P19",
    what: "no cross-reference table and 200,000 objects",
    name: "p19.pdf",
    make: () =>
      assemblePdf({
        objects: [...basic, ...Array.from({ length: 200_000 }, () => "null")],
        end: "trailer << /Root 1 0 R >>",
      }),
    expected: isRead,
  },
  {
    id: "P20",
    what: "an object stream that extends itself and claims 2e9 objects",
    name: "p20.pdf",
    make: () =>
      onePagePdf({
        more: [{ dictionary: "/Type /ObjStm /N 2000000000 /First 10 /Extends 6 0 R", stream: "7 0 8 0 << >>" }],
      }),
    expected: isRead,
  },
  {
    id: "P21",
    what: "a picture of 32,768 by 32,768",
    name: "p21.pdf",
    make: () => withPicture("/Width 32768 /Height 32768 /BitsPerComponent 8 /ColorSpace /DeviceRGB", "x"),
    expected: isRead,
    overrides: { images: "data_uri" },
  },
  {
    id: "P21b",
    what: "a picture of 2e9 by 2e9",
    name: "p21b.pdf",
    make: () => withPicture("/Width 2000000000 /Height 2000000000 /BitsPerComponent 16 /ColorSpace /DeviceCMYK", "x"),
    expected: isRead,
  },
  {
    id: "P22",
    what: "broken JBIG2 and JPEG 2000 pictures",
    name: "p22.pdf",
    make: () =>
      withPicture(
        "/Width 9999 /Height 9999 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /JBIG2Decode",
        "\0\0\0\0\x30\0\x01\0\0\0\x13\xff\xff\xff\xff\xff\xff\xff\xff",
      ),
    expected: isRead,
  },
  {
    id: "P24",
    what: "a function of type 4, 50,000 deep",
    name: "p24.pdf",
    make: () =>
      onePagePdf({
        content: { dictionary: "", stream: `/C cs 0.5 scn ${pdfHello}` },
        resources: "/ColorSpace << /C [/Separation /X /DeviceGray 6 0 R] >>",
        more: [{ dictionary: "/FunctionType 4 /Domain [0 1] /Range [0 1]", stream: "{ ".repeat(50_000) }],
      }),
    expected: isRead,
  },
  {
    id: "P25",
    what: "an outline that leads back to itself",
    name: "p25.pdf",
    make: () =>
      onePagePdf({
        catalogue: "/Outlines 6 0 R",
        more: [
          "<< /First 7 0 R /Last 7 0 R /Count 9 >>",
          "<< /Title (A) /Parent 6 0 R /Next 7 0 R /First 7 0 R /Last 7 0 R /Dest [3 0 R /Fit] >>",
        ],
      }),
    expected: isRead,
  },
  {
    id: "P26",
    what: "actions that run, open and send",
    name: "p26.pdf",
    make: () =>
      onePagePdf({
        catalogue:
          "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> /AA << /WC << /S /Launch /F (cmd.exe) >> /WS << /S /SubmitForm /F (http://127.0.0.1:1/) >> >>",
      }),
    expected: { ...isRead, lacks: /alert|cmd\.exe|127\.0/ },
  },
  {
    id: "P27",
    what: "a file embedded",
    name: "p27.pdf",
    make: () =>
      onePagePdf({
        catalogue: "/Names << /EmbeddedFiles << /Names [(a.exe) 6 0 R] >> >>",
        more: [
          "<< /Type /Filespec /F (../../a.exe) /EF << /F 7 0 R >> >>",
          { dictionary: "/Type /EmbeddedFile", stream: "MZ" },
        ],
      }),
    expected: isRead,
  },
  {
    id: "P28",
    what: "a password",
    name: "p28.pdf",
    make: () =>
      makePdf({ password: "secret", pages: [{ content: pdfText("Hello world of text.", { x: 72, y: 700 }) }] }),
    expected: "PASSWORD_REQUIRED",
  },
  {
    id: "P28b",
    what: "the wrong password",
    name: "p28b.pdf",
    make: () => makePdf({ password: "secret", pages: [{ content: "" }] }),
    expected: "PASSWORD_WRONG",
    overrides: { password: "wrong" },
  },
  {
    id: "P28c",
    what: "an unknown way of encryption",
    name: "p28c.pdf",
    make: () => secured("/Filter /Unknown.Security /V 9"),
    expected: "ENCRYPTION_UNSUPPORTED",
  },
  {
    id: "P29",
    what: "two files in one, by incremental update",
    name: "p29.pdf",
    make: () =>
      Buffer.concat([
        onePagePdf(),
        onePagePdf({ content: { dictionary: "", stream: pdfHello.replace("Hello", "Another") } }),
      ]),
    expected: { readBecause: "the last one counts, each time", content: /(Another|Hello) world of text/ },
  },
  {
    id: "P30",
    what: "20,000 pages",
    name: "p30.pdf",
    make: () =>
      assemblePdf({
        objects: [
          basic[0] as string,
          `<< /Type /Pages /Count 20000 /Kids [${sequence(20_000, (n) => `${6 + n} 0 R `)}] >>`,
          ...basic.slice(2),
          ...Array.from({ length: 20_000 }, () => basic[2] as string),
        ],
      }),
    expected: {
      readBecause: "the pages up to the limit are read",
      content: /Hello world of text\./,
      message: /PARSER_MAX_PAGES/,
    },
  },
  {
    id: "P31",
    what: "a kilobyte of garbage before the file",
    name: "p31.pdf",
    make: () => Buffer.concat([Buffer.alloc(1000, "garbage "), onePagePdf()]),
    expected: isRead,
  },
  {
    id: "P33",
    what: "nothing but the signature",
    name: "p33.pdf",
    make: () => "%PDF-1.7\n",
    expected: "DOCUMENT_CORRUPT",
  },
];

const basic: readonly PdfObject[] = [
  "<< /Type /Catalog /Pages 2 0 R >>",
  "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
  "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
  { dictionary: "", stream: pdfHello },
  "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
];

function withPicture(dictionary: string, stream: string): Buffer {
  return onePagePdf({
    content: { dictionary: "", stream: `${pdfHello}q 100 0 0 100 72 72 cm /I Do Q` },
    resources: "/XObject << /I 6 0 R >>",
    more: [{ dictionary: `/Type /XObject /Subtype /Image ${dictionary}`, stream }],
  });
}

function selfPreviousPdf(): Buffer {
  const file = onePagePdf().toString("latin1");
  return Buffer.from(file.replace("/Root 1 0 R", `/Root 1 0 R /Prev ${file.indexOf("xref\n")}`), "latin1");
}

testHostileFamily({ family: "PDF structures", environment: () => ({ PARSER_MAX_PAGES: "200" }) }, structures);
