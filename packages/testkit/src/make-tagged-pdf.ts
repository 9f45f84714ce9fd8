import { firstFreeObject, makePdf, pdfText, type PdfTextSpec } from "./make-pdf.ts";

/** An element of the structure tree of a generated file. */
export interface PdfElement {
  /** Structure type: `P`, `Table`, `TD` … */
  readonly type: string;
  /** Marked-content identifiers that it holds before its children. */
  readonly marks?: readonly number[];
  readonly children?: readonly PdfElement[];
  /** Entries added to its dictionary, as written in the file. */
  readonly entries?: string;
}

/** Operators that draw a line of text as marked content: of an element where there is an identifier, else an artifact. */
export function pdfMarkedText(text: string, place: PdfTextSpec, mark?: number): string {
  const tag = mark === undefined ? "/Artifact BMC" : `/P << /MCID ${mark} >> BDC`;
  return `${tag}\n${pdfText(text, place)}EMC\n`;
}

/** A tagged PDF file of one page (ISO 32000-1, 14.7). */
export function makeTaggedPdf(content: string, elements: readonly PdfElement[]): Uint8Array {
  const plain = { pages: [{ content, entries: " /StructParents 0" }] };
  const root = firstFreeObject(plain);
  const objects: string[] = [];
  /** Object of the element that holds each mark. */
  const parents: number[] = [];
  const add = ({ type, marks = [], children = [], entries = "" }: PdfElement, parent: number): number => {
    const number = root + 2 + objects.push("");
    for (const mark of marks) parents[mark] = number;
    const kids = [...marks.map(String), ...children.map((child) => `${add(child, number)} 0 R`)].join(" ");
    objects[number - root - 3] =
      `<< /Type /StructElem /S /${type} /P ${parent} 0 R /Pg ${firstPage} 0 R /K [${kids}] ${entries} >>`;
    return number;
  };
  const kids = elements.map((element) => `${add(element, root)} 0 R`).join(" ");
  const parentArray = Array.from(parents, (number) => (number === undefined ? "null" : `${number} 0 R`)).join(" ");
  return makePdf({
    ...plain,
    catalogue: ` /MarkInfo << /Marked true >> /StructTreeRoot ${root} 0 R`,
    objects: [
      `<< /Type /StructTreeRoot /K [${kids}] /ParentTree ${root + 1} 0 R >>`,
      `<< /Nums [0 ${root + 2} 0 R] >>`,
      `[${parentArray}]`,
      ...objects,
    ],
  });
}

/** Object of the only page: behind the catalogue, pages, information, outline and five fonts. */
const firstPage = 10;
