import type { TaggedCell, TextTag } from "../page-content.ts";
import type { OpenDocument } from "./open-document.ts";
import type { Pdfium } from "./pdfium.ts";

const maxElements = 20_000;
const maxDepth = 40;
const maxSpan = 1000;
/** Alternative texts that programs fill in. */
const sayingNothing =
  /^(?:(?:figure|image|picture|photo|graphic|logo|icon|shape|drawing)?[\s\d_.-]*|\S+\.(?:png|jpe?g|gif|tiff?|emf|wmf|svg|eps))$/i;
/** Letters of an alternative text that are kept. */
const maxAlternative = 2000;
const none: PageTags = { tags: new Map(), alternatives: new Map() };
/** Standard structure types whose content is a paragraph of its own (ISO 32000-1, 14.8.4.3); a cell is one until it holds others. */
const blockTypes = new Set([
  "P",
  "H",
  "LI",
  "Lbl",
  "LBody",
  "TD",
  "TH",
  "Caption",
  "Note",
  "BlockQuote",
  "TOCI",
  "Code",
  "Div",
  "Figure",
]);

/** What a tagged file says of the marked content of a page, by its identifiers; empty for other files. */
export interface PageTags {
  /** The elements in which it lies. */
  readonly tags: ReadonlyMap<number, TextTag>;
  /** Alternative texts of figures; one object for each figure. */
  readonly alternatives: ReadonlyMap<number, Alternative>;
}

export interface Alternative {
  readonly alt: string;
}

/** Reads the structure tree of a page. */
export function readTags({ pdfium, pointer }: OpenDocument, page: number): PageTags {
  const { raw } = pdfium;
  if (raw._FPDFCatalog_IsTagged(pointer) === 0) return none;
  const tree = raw._FPDF_StructTree_GetForPage(page);
  if (tree === 0) return none;
  const walker = new TagWalker(pdfium);
  const count = raw._FPDF_StructTree_CountChildren(tree);
  for (let index = 0; index < count; index++) walker.visit(raw._FPDF_StructTree_GetChildAtIndex(tree, index), {}, 0);
  raw._FPDF_StructTree_Close(tree);
  walker.close();
  return walker;
}

/** What the elements around one say of it. */
interface Surroundings {
  readonly level?: number | undefined;
  readonly tag?: TextTag | undefined;
  readonly table?: OpenTable;
  readonly cell?: TaggedCell;
  readonly figure?: Alternative | undefined;
  /** The item of a list of whose content this is part. */
  readonly item?: { hasParagraph: boolean } | undefined;
}

interface OpenTable {
  readonly key: object;
  row: number;
  column: number;
  /** By column, the first row that no cell from above reaches. */
  readonly freeFrom: number[];
}

/** The next column of the row in hand that no cell from above reaches. */
function nextColumn({ row, column, freeFrom }: OpenTable): number {
  let next = column;
  while ((freeFrom[next] ?? 0) > row) next++;
  return next;
}

class TagWalker implements PageTags {
  readonly tags = new Map<number, TextTag>();
  readonly alternatives = new Map<number, Alternative>();
  readonly #pdfium: Pdfium;
  /** Names of attributes as C strings. */
  #names: { readonly rowSpan: number; readonly columnSpan: number } | undefined;
  #left = maxElements;

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium;
  }

  close(): void {
    if (this.#names !== undefined) this.#pdfium.release(this.#names.rowSpan);
  }

  visit(element: number, around: Surroundings, depth: number): void {
    if (element === 0 || depth > maxDepth || this.#left-- <= 0) return;
    const { raw } = this.#pdfium;
    const type = this.#pdfium.utf16((buffer, size) => raw._FPDF_StructElement_GetType(element, buffer, size));
    const inner = this.#enter(element, type, around);
    const children = raw._FPDF_StructElement_CountChildren(element);
    for (let index = 0; index < children && this.#left > 0; index++) {
      const identifier = raw._FPDF_StructElement_GetChildMarkedContentID(element, index);
      if (identifier >= 0) {
        if (inner.tag !== undefined) this.tags.set(identifier, inner.tag);
        if (inner.figure !== undefined) this.alternatives.set(identifier, inner.figure);
        continue;
      }
      const child = raw._FPDF_StructElement_GetChildAtIndex(element, index);
      if (child === 0) passEmpty(type, inner);
      else this.visit(child, inner, depth + 1);
    }
  }

  #enter(element: number, type: string, around: Surroundings): Surroundings {
    const level = headingLevel(type) ?? around.level;
    const inCell = this.#enterTable(element, type, around);
    const isBlock = blockTypes.has(type) || level !== around.level;
    const tag = isBlock && !isPartOfItem(type, around) ? tagOf(type, level, inCell.cell) : around.tag;
    const figure = type === "Figure" ? this.#alternativeOf(element) : around.figure;
    return { ...inCell, level, tag, figure, item: type === "LI" ? { hasParagraph: false } : around.item };
  }

  #alternativeOf(element: number): Alternative | undefined {
    const { raw } = this.#pdfium;
    const text = this.#pdfium.utf16((buffer, size) => raw._FPDF_StructElement_GetAltText(element, buffer, size));
    const alt = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
    return sayingNothing.test(alt) ? undefined : { alt: alt.slice(0, maxAlternative) };
  }

  // A table within a cell is part of what the cell holds.
  #enterTable(element: number, type: string, around: Surroundings): Surroundings {
    if (around.cell !== undefined) return around;
    if (type === "Table") return { ...around, table: { key: {}, row: -1, column: 0, freeFrom: [] } };
    const { table } = around;
    if (table === undefined) return around;
    if (type === "TR") {
      table.row++;
      table.column = 0;
    }
    if ((type !== "TD" && type !== "TH") || table.row < 0) return around;
    const spans = this.#spansOf(element);
    const column = nextColumn(table);
    table.column = column + spans.columnSpan;
    for (let at = column; at < table.column; at++) table.freeFrom[at] = table.row + spans.rowSpan;
    return { ...around, cell: { table: table.key, row: table.row, column, isHeader: type === "TH", ...spans } };
  }

  #spansOf(element: number): { rowSpan: number; columnSpan: number } {
    const { raw } = this.#pdfium;
    const count = Math.min(raw._FPDF_StructElement_GetAttributeCount(element), 8);
    let [rowSpan, columnSpan] = [1, 1];
    for (let index = 0; index < count; index++) {
      const attributes = raw._FPDF_StructElement_GetAttributeAtIndex(element, index);
      if (attributes === 0) continue;
      rowSpan = Math.max(rowSpan, this.#numberOf(attributes, "rowSpan"));
      columnSpan = Math.max(columnSpan, this.#numberOf(attributes, "columnSpan"));
    }
    return { rowSpan, columnSpan };
  }

  #numberOf(attributes: number, name: "rowSpan" | "columnSpan"): number {
    const { raw } = this.#pdfium;
    const value = raw._FPDF_StructElement_Attr_GetValue(attributes, this.#nameOf(name));
    if (value === 0 || raw._FPDF_StructElement_Attr_GetNumberValue(value, this.#pdfium.cell(0)) === 0) return 1;
    const number = Math.trunc(this.#pdfium.float(0));
    return number >= 1 && number <= maxSpan ? number : 1;
  }

  #nameOf(name: "rowSpan" | "columnSpan"): number {
    if (this.#names === undefined) {
      const at = this.#pdfium.allocate(Buffer.from("RowSpan\0ColSpan\0", "latin1"));
      this.#names = { rowSpan: at, columnSpan: at + 8 };
    }
    return this.#names[name];
  }
}

// The label of an item and its first paragraph stand on one line.
function isPartOfItem(type: string, { item, tag }: Surroundings): boolean {
  if (item === undefined || tag === undefined) return false;
  if (type === "Lbl" || type === "LBody") return true;
  if (type !== "P" || item.hasParagraph) return false;
  item.hasParagraph = true;
  return true;
}

// PDFium gives no element that has no content on the page: an empty cell, or an empty row between two others.
function passEmpty(type: string, { table, cell }: Surroundings): void {
  if (table === undefined || cell !== undefined || table.row < 0) return;
  if (type === "TR") table.column = nextColumn(table) + 1;
  else if (rowHolders.has(type)) table.row++;
}

const rowHolders = new Set(["Table", "THead", "TBody", "TFoot"]);

function tagOf(type: string, level: number | undefined, cell: TaggedCell | undefined): TextTag {
  return {
    ...(type === "LI" && { isItem: true }),
    ...(type === "Figure" && { isFigure: true }),
    ...(level !== undefined && { level }),
    ...(cell !== undefined && { cell }),
  };
}

function headingLevel(type: string): number | undefined {
  const match = /^H([1-6])?$/.exec(type);
  return match === null ? undefined : Number(match[1] ?? 1);
}
