import { makeZip } from "../make-zip.ts";

const spreadsheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const odf = "urn:oasis:names:tc:opendocument:xmlns";

export interface XlsxParts {
  /** Content of `worksheet`. */
  readonly sheet?: string;
  /** In place of the whole sheet. */
  readonly sheetPart?: string;
  /** The whole part of shared strings. */
  readonly sharedStrings?: string;
}

/** A workbook of one sheet. */
export function makeXlsx({ sheet = "", sheetPart, sharedStrings }: XlsxParts): Buffer {
  const list = [
    link("sheet", "worksheet", "worksheets/sheet1.xml"),
    link("strings", "sharedStrings", "sharedStrings.xml"),
  ];
  const types = `<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>`;
  return pack({
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>${types}</Types>`,
    "_rels/.rels": links([link("main", "officeDocument", "xl/workbook.xml")]),
    "xl/workbook.xml": `<workbook xmlns="${spreadsheet}" xmlns:r="${relationships}"><sheets><sheet name="S" sheetId="1" r:id="sheet"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": links(sharedStrings === undefined ? list.slice(0, 1) : list),
    "xl/worksheets/sheet1.xml": sheetPart ?? `<worksheet xmlns="${spreadsheet}">${sheet}</worksheet>`,
    ...(sharedStrings !== undefined && { "xl/sharedStrings.xml": sharedStrings }),
  });
}

/** Content of a sheet: rows of cells that hold text. */
export function sheetData(rows: readonly string[]): string {
  return `<sheetData>${rows.join("")}</sheetData>`;
}

/** An OpenDocument file of this kind; `body` is what lies in `office:text`, `office:spreadsheet`, …; `content` is all. */
export function makeOdf(
  kind: "text" | "spreadsheet",
  { body = "", content }: { body?: string; content?: string },
): Buffer {
  const declared = ["office", "text", "table"].map((name) => `xmlns:${name}="${odf}:${name}:1.0"`).join(" ");
  const mediaType = `application/vnd.oasis.opendocument.${kind}`;
  return pack({
    mimetype: mediaType,
    "META-INF/manifest.xml": `<manifest:manifest xmlns:manifest="${odf}:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${mediaType}"/></manifest:manifest>`,
    "content.xml":
      content ??
      `<office:document-content ${declared}><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
  });
}

export interface EpubParts {
  readonly chapter?: string;
  /** Before the root of the package document. */
  readonly prolog?: string;
  readonly manifest?: string;
  readonly spine?: string;
}

/** An electronic book of one chapter. */
export function makeEpub({ chapter = "<p>A chapter.</p>", prolog = "", manifest = "", spine = "" }: EpubParts): Buffer {
  return pack({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    "book.opf": `${prolog}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/>${manifest}</manifest><spine><itemref idref="c"/>${spine}</spine></package>`,
    "c.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body>${chapter}</body></html>`,
  });
}

function pack(members: Readonly<Record<string, string>>): Buffer {
  return makeZip(
    Object.entries(members).map(([name, bytes]) => ({ name, bytes, method: name === "mimetype" ? 0 : 8 })),
  );
}

function link(id: string, kind: string, target: string): string {
  return `<Relationship Id="${id}" Type="${relationships}/${kind}" Target="${target}"/>`;
}

function links(list: readonly string[]): string {
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join("")}</Relationships>`;
}
