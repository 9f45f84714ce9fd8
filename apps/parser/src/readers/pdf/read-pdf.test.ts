import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { firstFreeObject, makePdf, type PdfSpec, pdfText } from "@attune/testkit/make-pdf.ts";
import { describe, expect, test } from "vitest";
import type { Document } from "../../document/document.ts";
import { Budget, type DocumentLimits } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { ReadOptions } from "../reader.ts";
import { withPdfium } from "./pdfium/pdfium.ts";
import { readPdf } from "./read-pdf.ts";

const hello = pdfText("Hello world of text.", { x: 72, y: 400 });
const onePage: PdfSpec = { pages: [{ content: hello }] };

interface Setting {
  readonly options?: Partial<ReadOptions>;
  readonly limits?: Partial<DocumentLimits>;
}

async function read(
  bytes: Uint8Array,
  { options = {}, limits = {} }: Setting = {},
): Promise<{ document: Document; warnings: string[] }> {
  const warnings: string[] = [];
  const document = await readPdf(
    { bytes, fileName: "", format: "pdf" },
    {
      options: { pages: [], headersFooters: "drop", images: "none", ...options },
      budget: new Budget({ ...defaultLimits, ...limits }),
      depth: 0,
      warn: (sentence) => warnings.push(sentence),
      readPart: () => Promise.reject(new Error("A PDF has no parts.")),
    },
  );
  return { document, warnings };
}

async function reasonOf(bytes: Uint8Array, setting?: Setting): Promise<string> {
  const thrown = await read(bytes, setting).then(
    () => "nothing",
    (error: unknown) => error,
  );
  return thrown instanceof AppError ? thrown.reason : String(thrown);
}

function paragraphs({ document }: { document: Document }): unknown[] {
  return document.blocks.flatMap((block) => (block.type === "paragraph" ? block.inlines : []));
}

// The Latin-1 text of a one-page file, to damage it.
function damaged(find: string | RegExp, replacement: string): Uint8Array {
  const text = Buffer.from(makePdf(onePage)).toString("latin1");
  expect(text).toMatch(find);
  return Buffer.from(text.replace(find, replacement), "latin1");
}

describe("opening", () => {
  const locked = makePdf({ ...onePage, password: "open sesame" });

  test("a password opens a protected file, its absence and a wrong one are told apart", async () => {
    expect(paragraphs(await read(locked, { options: { password: "open sesame" } }))).toEqual(["Hello world of text."]);
    expect(await reasonOf(locked)).toBe("PASSWORD_REQUIRED");
    expect(await reasonOf(locked, { options: { password: "sesame" } })).toBe("PASSWORD_WRONG");
  });

  test("an unknown way of encryption is named", async () => {
    const text = Buffer.from(locked).toString("latin1").replace("/Filter /Standard", "/Filter /Unheard");
    expect(await reasonOf(Buffer.from(text, "latin1"))).toBe("ENCRYPTION_UNSUPPORTED");
  });

  test.each([
    ["no PDF", Buffer.from("Just some words.")],
    ["nothing but a header", Buffer.from("%PDF-1.4\n")],
    ["nothing at all", Buffer.alloc(0)],
  ])("%s is corrupt", async (_, bytes) => {
    expect(await reasonOf(bytes)).toBe("DOCUMENT_CORRUPT");
  });

  test("bytes before the header do not matter", async () => {
    expect(paragraphs(await read(Buffer.concat([Buffer.alloc(500, 65), makePdf(onePage)])))).toEqual([
      "Hello world of text.",
    ]);
  });
});

describe("pages", () => {
  const three = makePdf({
    pages: ["One.", "Two.", "Three."].map((text, index) => ({
      content: pdfText(text, { x: 72, y: 400 - index * 20 }),
    })),
  });

  test("those asked for are read, and numbered as in the file", async () => {
    const { document } = await read(three, { options: { pages: [{ first: 2, last: 2 }] } });
    expect(document.blocks.map((block) => (block.type === "pageBreak" ? block.number : block.type))).toEqual([
      2,
      "paragraph",
    ]);
    expect(document.metadata.pageCount).toBe(3);
  });

  test("pages that are not there are refused", async () => {
    expect(await reasonOf(three, { options: { pages: [{ first: 4, last: 9 }] } })).toBe("PAGES_INVALID");
  });

  test("pages over the limit are left out with a warning", async () => {
    const result = await read(three, { limits: { maxPages: 2 } });
    expect(paragraphs(result)).toEqual(["One.", "Two."]);
    expect(result.warnings).toEqual(["Only the first 2 of 3 pages were read (max_pages, PARSER_MAX_PAGES)."]);
  });

  test("no time for any page is a time-out", async () => {
    expect(await reasonOf(three, { limits: { timeoutMs: 0 } })).toBe("PARSE_TIMEOUT");
  });

  test("pages without text are not an empty document", async () => {
    expect(await reasonOf(makePdf({ pages: [{ content: "" }] }))).toBe("TEXT_NOT_FOUND");
  });

  test("metadata are read with dates as ISO 8601", async () => {
    const information = { Title: "A Title", Author: "A. Author; B. Writer", ModDate: "D:20240229123000+01'00'" };
    expect((await read(makePdf({ ...onePage, information }))).document.metadata).toEqual({
      title: "A Title",
      authors: ["A. Author", "B. Writer"],
      modifiedAt: "2024-02-29T12:30:00+01:00",
      pageCount: 1,
    });
  });
});

describe("what cannot be seen", () => {
  test.each([
    ["invisible", `3 Tr ${pdfText("Secret.", { x: 72, y: 300 })}`],
    ["white on white", `1 1 1 rg ${pdfText("Secret.", { x: 72, y: 300 })}`],
    ["off the page", pdfText("Secret.", { x: 900, y: 300 })],
    ["too small", pdfText("Secret.", { x: 72, y: 300, size: 0.4 })],
  ])("text that is %s is left out and counted", async (_, content) => {
    const result = await read(makePdf({ pages: [{ content: hello + content }] }));
    expect(paragraphs(result)).toEqual(["Hello world of text."]);
    expect(result.warnings).toEqual(["7 characters that cannot be seen on the page were left out"]);
  });
});

test("the words of a note that has no appearance of its own are read", async () => {
  const note = "<< /Type /Annot /Subtype /FreeText /Rect [72 300 300 340] /Contents (A note.) /DA (/Helv 12 Tf 0 g) >>";
  expect(paragraphs(await read(makePdf({ pages: [{ content: hello, annotations: [note] }] })))).toEqual([
    "Hello world of text.",
    "A note.",
  ]);
});

test("cells of tables count against their limit", async () => {
  const bytes = readFileSync(join(import.meta.dirname, "../../../corpus/pdf/tables.pdf"));
  expect(await reasonOf(bytes, { limits: { maxTableCells: 10 } })).toBe("LIMIT_EXCEEDED");
});

describe("hostile files", () => {
  test.each([
    ["two thousand million pages", () => damaged("/Count 1 ", "/Count 2000000000 ")],
    ["a page box without end", () => damaged("[0 0 612 792]", "[0 0 1e38 792]")],
    ["a page box that is no number", () => damaged("[0 0 612 792]", "[nan 0 nan 9]")],
    ["a page box turned inside out", () => damaged("[0 0 612 792]", "[612 792 0 0]")],
    [
      "five thousand filters",
      () => damaged(/<< \/Length (\d+) >>/, `<< /Length $1 /Filter [${"/Unknown ".repeat(5000)}] >>`),
    ],
    ["three million saved states", () => makePdf({ pages: [{ content: "q ".repeat(3_000_000) + hello }] })],
    ["half a million lines", () => makePdf({ pages: [{ content: `${hello}${"0 0 m 5 500 l S ".repeat(500_000)}` }] })],
  ])("%s neither stop nor crash the reader", async (_, make) => {
    const outcome = await read(make()).then(paragraphs, (error: unknown) => (error as AppError).reason);
    expect([["Hello world of text."], "TEXT_NOT_FOUND"]).toContainEqual(outcome);
  });

  test("a page tree that holds itself is corrupt", async () => {
    expect(await reasonOf(damaged(/\/Count 1 \/Kids \[\d+ 0 R\]/, "/Count 9 /Kids [2 0 R 2 0 R]"))).toBe(
      "DOCUMENT_CORRUPT",
    );
  });

  test("forms within forms are opened, but not without end", async () => {
    const first = firstFreeObject(onePage);
    const form = (next: number, content: string) =>
      `<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /regular 5 0 R >> /XObject << /X ${next} 0 R >> >> /Length ${content.length} >>\nstream\n${content}\nendstream`;
    const levels = Array.from({ length: 4 }, (_, level) =>
      form(first + level + 1, level === 3 ? hello : "/X Do ".repeat(10)),
    );
    const bytes = makePdf({
      pages: [{ content: "/X Do" }],
      resources: `/XObject << /X ${first} 0 R >>`,
      objects: levels,
    });
    expect(paragraphs(await read(bytes))).toEqual(["Hello world of text."]);
    const itself = makePdf({
      pages: [{ content: `/X Do ${hello}` }],
      resources: `/XObject << /X ${first} 0 R >>`,
      objects: [form(first, "/X Do")],
    });
    expect(paragraphs(await read(itself))).toEqual(["Hello world of text."]);
  });

  test("memory of the library stays flat over many documents", async () => {
    const bytes = makePdf({ pages: Array.from({ length: 20 }, () => ({ content: hello.repeat(50) })) });
    const heapBytes = () => withPdfium((pdfium) => pdfium.heapBytes);
    await read(bytes);
    const before = await heapBytes();
    for (let count = 0; count < 150; count++) await read(bytes);
    expect(await heapBytes()).toBe(before);
  });
});
