import { createHash } from "node:crypto";

/** A page of a generated PDF file. Coordinates are those of PDF: points from the lower left corner. */
export interface PdfPageSpec {
  /** Operators of the content stream; `pdfText` and `pdfRule` make some. */
  readonly content: string;
  /** `[left bottom right top]` as written in the file; US Letter when absent. */
  readonly mediaBox?: string;
  readonly rotate?: number;
  readonly links?: readonly PdfLinkSpec[];
  /** Dictionaries of further annotations, as written in the file. */
  readonly annotations?: readonly string[];
  /** Entries added to the page, as written in the file, with a space before them. */
  readonly entries?: string;
}

export interface PdfLinkSpec {
  readonly box: readonly [number, number, number, number];
  readonly uri: string;
}

export interface PdfSpec {
  readonly pages: readonly PdfPageSpec[];
  /** Entries of the information dictionary, by name. */
  readonly information?: Readonly<Record<string, string>>;
  /** Titles of the outline with the zero-based page that each leads to. */
  readonly outline?: readonly { readonly title: string; readonly page: number }[];
  /** Encrypts the file (RC4, 40 bits) so that it opens with this password only. */
  readonly password?: string;
  /** Entries added to the resources of every page, as written in the file. */
  readonly resources?: string;
  /** Entries added to the catalogue, as written in the file, with a space before them. */
  readonly catalogue?: string;
  /** Entries added to the fonts of every page, as written in the file. */
  readonly fonts?: string;
  /** Objects added as they are, from the number that `firstFreeObject` gives. */
  readonly objects?: readonly string[];
}

/** Standard fonts of the generated files, by the name that `pdfText` takes. */
const fonts = {
  regular: "Helvetica",
  bold: "Helvetica-Bold",
  italic: "Helvetica-Oblique",
  code: "Courier",
  serif: "Times-Roman",
};

export type PdfFont = keyof typeof fonts;

export interface PdfTextSpec {
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly font?: PdfFont;
}

const fileKey = "0123456789abcdef";
const passwordPadding = Buffer.from("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A", "hex");

/** Operators that draw one line of Latin-1 text. */
export function pdfText(text: string, { x, y, size = 10, font = "regular" }: PdfTextSpec): string {
  return `BT /${font} ${size} Tf ${x} ${y} Td (${escapeString(text)}) Tj ET\n`;
}

/** Operators that draw a line of half a point. */
export function pdfRule(from: readonly [number, number], to: readonly [number, number]): string {
  return `0.5 w ${from.join(" ")} m ${to.join(" ")} l S\n`;
}

/** Number of the first object that `PdfSpec.objects` gets. */
export function firstFreeObject({ pages, outline = [] }: PdfSpec): number {
  return 5 + Object.keys(fonts).length + pages.length * 2 + outline.length;
}

/** A whole PDF 1.4 file, byte for byte the same for the same specification. */
export function makePdf(spec: PdfSpec): Uint8Array {
  const encryption = spec.password === undefined ? undefined : encrypt(spec.password);
  const objects = listObjects(spec);
  let file = "%PDF-1.4\n";
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(file.length);
    file += `${index + 1} 0 obj\n${encryption?.object(object, index + 1) ?? object}\nendobj\n`;
  }
  const start = file.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const security = encryption === undefined ? "" : ` /Encrypt ${encryption.dictionary} /ID [(${fileKey}) (${fileKey})]`;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  file += `trailer << /Size ${objects.length + 1} /Root 1 0 R /Info 3 0 R${security} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}

function listObjects(spec: PdfSpec): string[] {
  const { pages, outline = [], information = {}, resources = "", fonts: others, objects = [], catalogue = "" } = spec;
  const firstPage = 5 + Object.keys(fonts).length;
  const firstEntry = firstPage + pages.length * 2;
  const pageNumber = (index: number) => firstPage + index * 2;
  const kids = pages.map((_, index) => `${pageNumber(index)} 0 R`).join(" ");
  const fontEntries = Object.keys(fonts).map((name, index) => `/${name} ${5 + index} 0 R`);
  if (others !== undefined) fontEntries.push(others);
  return [
    `<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R${catalogue} >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    `<< ${Object.entries(information)
      .map(([name, value]) => `/${name} (${escapeString(value)})`)
      .join(" ")} >>`,
    outline.length === 0
      ? "<< /Type /Outlines >>"
      : `<< /Type /Outlines /First ${firstEntry} 0 R /Last ${firstEntry + outline.length - 1} 0 R /Count ${outline.length} >>`,
    ...Object.values(fonts).map(
      (name) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`,
    ),
    ...pages.flatMap((page, index) => [
      pageObject(page, pageNumber(index) + 1, `<< /Font << ${fontEntries.join(" ")} >> ${resources} >>`),
      `<< /Length ${page.content.length} >>\nstream\n${page.content}\nendstream`,
    ]),
    ...outline.map(({ title, page }, index) => {
      const next = index + 1 < outline.length ? ` /Next ${firstEntry + index + 1} 0 R` : "";
      return `<< /Title (${escapeString(title)}) /Parent 4 0 R /Dest [${pageNumber(page)} 0 R /Fit]${next} >>`;
    }),
    ...objects,
  ];
}

function pageObject(
  { mediaBox = "[0 0 612 792]", rotate = 0, links = [], annotations: others = [], entries = "" }: PdfPageSpec,
  contents: number,
  resources: string,
): string {
  const annotations = links.map(
    ({ box, uri }) =>
      `<< /Type /Annot /Subtype /Link /Rect [${box.join(" ")}] /Border [0 0 0] /A << /S /URI /URI (${escapeString(uri)}) >> >>`,
  );
  const all = [...annotations, ...others];
  const annots = all.length === 0 ? "" : ` /Annots [${all.join(" ")}]`;
  return `<< /Type /Page /Parent 2 0 R /MediaBox ${mediaBox} /Rotate ${rotate} /Resources ${resources} /Contents ${contents} 0 R${annots}${entries} >>`;
}

function escapeString(text: string): string {
  return text.replace(/[\\()]/g, "\\$&");
}

interface Encryption {
  readonly dictionary: string;
  object(text: string, number: number): string;
}

// The standard security handler, revision 2 (ISO 32000-1, 7.6.3): algorithms 1, 2, 3 and 4.
function encrypt(password: string): Encryption {
  const padded = Buffer.concat([Buffer.from(password, "latin1"), passwordPadding]).subarray(0, 32);
  const owner = rc4(md5(padded).subarray(0, 5), padded);
  const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
  const key = md5(Buffer.concat([padded, owner, permissions, Buffer.from(fileKey)])).subarray(0, 5);
  const user = rc4(key, passwordPadding);
  return {
    dictionary: `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString("hex")}> /U <${user.toString("hex")}> /P -4 >>`,
    object: (text, number) => {
      const objectKey = md5(Buffer.concat([key, Buffer.from([number & 255, number >> 8, 0, 0, 0])])).subarray(0, 10);
      const conceal = (plain: string) => rc4(objectKey, Buffer.from(plain, "latin1"));
      return text.includes("stream\n")
        ? text.replace(
            /stream\n([\s\S]*)\nendstream/,
            (_, plain: string) => `stream\n${conceal(plain).toString("latin1")}\nendstream`,
          )
        : text.replace(
            /\(((?:\\.|[^\\()])*)\)/g,
            (_, plain: string) => `<${conceal(plain.replace(/\\(.)/g, "$1")).toString("hex")}>`,
          );
    },
  };
}

function md5(bytes: Uint8Array): Buffer {
  return createHash("md5").update(bytes).digest();
}

function rc4(key: Uint8Array, bytes: Uint8Array): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number) => ([state[a], state[b]] = [state[b] as number, state[a] as number]);
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] as number) + (key[i % key.length] as number)) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    bytes.map((byte) => {
      i = (i + 1) & 255;
      j = (j + (state[i] as number)) & 255;
      swap(i, j);
      return byte ^ (state[((state[i] as number) + (state[j] as number)) & 255] as number);
    }),
  );
}
