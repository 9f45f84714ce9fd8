import { zlibFlood } from "./floods.ts";

/** An object of a PDF file; its number is its place in the list, from 1. */
export type PdfObject = string | { readonly dictionary: string; readonly stream: Uint8Array | string };

export interface PdfFile {
  readonly objects: readonly PdfObject[];
  /** Added to the trailer. */
  readonly trailer?: string;
  /** After all objects, in place of the cross-reference table and trailer. */
  readonly end?: string;
}

const hello = "BT /F 12 Tf 72 700 Td (Hello world of text.) Tj ET\n";

/** A PDF file of these objects, the first of which is the catalogue. */
export function assemblePdf({ objects, trailer = "", end }: PdfFile): Buffer {
  const pieces: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let at = 9;
  const add = (bytes: Buffer): void => {
    pieces.push(bytes);
    at += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(at);
    add(writeObject(object, index + 1));
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const usual = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer << /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`;
  add(Buffer.from(end ?? usual, "latin1"));
  return Buffer.concat(pieces);
}

function writeObject(object: PdfObject, number: number): Buffer {
  if (typeof object === "string") return Buffer.from(`${number} 0 obj\n${object}\nendobj\n`, "latin1");
  const { dictionary, stream } = object;
  const bytes = typeof stream === "string" ? Buffer.from(stream, "latin1") : Buffer.from(stream);
  const head = Buffer.from(`${number} 0 obj\n<< /Length ${bytes.length} ${dictionary} >>\nstream\n`, "latin1");
  return Buffer.concat([head, bytes, Buffer.from("\nendstream\nendobj\n")]);
}

export interface PdfPageParts {
  /** The content stream; a line of text by default. */
  readonly content?: PdfObject;
  /** Added to the page. */
  readonly page?: string;
  /** Added to the resources of the page. */
  readonly resources?: string;
  /** Added to the catalogue. */
  readonly catalogue?: string;
  /** In place of the root of the page tree. */
  readonly pages?: string;
  /** Further objects, from number 6 on. */
  readonly more?: readonly PdfObject[];
  readonly trailer?: string;
}

/** A PDF file of one page: catalogue 1, page tree 2, page 3, content 4, font 5. */
export function onePagePdf(parts: PdfPageParts = {}): Buffer {
  const { content = { dictionary: "", stream: hello }, page = "", resources = "", catalogue = "", more = [] } = parts;
  return assemblePdf({
    objects: [
      `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`,
      parts.pages ?? "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
      `<< /Type /Page /Parent 2 0 R ${page.includes("/MediaBox") ? "" : "/MediaBox [0 0 612 792]"} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> ${resources} >> ${page} >>`,
      content,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      ...more,
    ],
    ...(parts.trailer !== undefined && { trailer: parts.trailer }),
  });
}

/** A content stream that shows a line and then expands to `unit` repeated. */
export function packedContent(unit: string, times: number): PdfObject {
  return { dictionary: "/Filter /FlateDecode", stream: zlibFlood(Buffer.from(unit, "latin1"), times) };
}

export const pdfHello = hello;

/** Form XObjects from number 6 on, each of which draws the next ten times; the last shows a line. */
export function formLaughs(levels: number): PdfObject[] {
  return Array.from({ length: levels }, (_, level) => ({
    dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F 5 0 R >> /XObject << /X ${7 + level} 0 R >> >>`,
    stream: level === levels - 1 ? hello : "/X Do ".repeat(10),
  }));
}
