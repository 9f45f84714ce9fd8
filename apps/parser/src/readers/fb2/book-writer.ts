import type { Block, ImageData, Inline, RichCell } from "../../document/document.ts";
import type { Budget } from "../../limits/budget.ts";
import { childElements, elementText, type XmlElement } from "../../xml/xml-tree.ts";
import { type InlineContext, pictureOf, writeInlines } from "./write-inlines.ts";

export interface Book extends InlineContext {
  readonly budget: Budget;
  readonly pictures: ReadonlyMap<string, ImageData>;
}

const lineElements = new Set(["p", "v", "text-author", "date"]);
const quoteElements = new Set(["epigraph", "cite", "annotation"]);

/** Writes the parts of a FictionBook 2.1 (schema of gribuser.ru) as blocks. */
export class BookWriter {
  readonly #book: Book;

  constructor(book: Book) {
    this.#book = book;
  }

  annotation(titleInfo: XmlElement | undefined): Block[] {
    if (titleInfo === undefined) return [];
    const cover = childElements(titleInfo, "coverpage").flatMap((page) => this.#flow(page, 1));
    const blocks = childElements(titleInfo, "annotation").flatMap((element) => this.#flow(element, 2));
    return blocks.length === 0 ? cover : [...cover, { type: "quote", blocks }];
  }

  body(body: XmlElement, isNotes: boolean): Block[] {
    const hasTitle = childElements(body, "title").some((title) => elementText(title) !== "");
    const level = hasTitle ? 2 : 1;
    return childElements(body).flatMap((child) => {
      if (child.name === "title") return this.#heading(child, 1);
      if (child.name !== "section") return this.#block(child, level);
      return isNotes ? this.#note(child, level) : this.#section(child, level);
    });
  }

  #section(section: XmlElement, level: number): Block[] {
    const hasTitle = childElements(section, "title").some((title) => elementText(title) !== "");
    const innerLevel = hasTitle ? level + 1 : level;
    return childElements(section).flatMap((child) => {
      if (child.name === "title") return this.#heading(child, level);
      return child.name === "section" ? this.#section(child, innerLevel) : this.#block(child, innerLevel);
    });
  }

  // The title of a note is its number or mark, which the footnote has anyway; a longer one is text.
  #note(section: XmlElement, level: number): Block[] {
    const id = section.attributes.get("id") ?? "";
    if (id === "") return this.#section(section, level);
    const blocks = childElements(section).flatMap((child) => {
      if (child.name === "title" && elementText(child).length <= 12) return [];
      return child.name === "title" ? this.#flow(child, level) : this.#block(child, level);
    });
    const inner = childElements(section, "section").flatMap((nested) => this.#note(nested, level));
    return [...(blocks.length === 0 ? [] : [{ type: "footnote" as const, id, blocks }]), ...inner];
  }

  #flow(element: XmlElement, level: number): Block[] {
    return childElements(element).flatMap((child) => this.#block(child, level));
  }

  #block(element: XmlElement, level: number): Block[] {
    if (lineElements.has(element.name)) return paragraph(writeInlines(element, this.#book));
    if (quoteElements.has(element.name)) return quote(this.#flow(element, level));
    switch (element.name) {
      case "subtitle":
        return this.#subtitle(element, level);
      case "title":
        return this.#heading(element, level);
      case "poem":
        return this.#flow(element, level);
      case "stanza":
        return this.#stanza(element, level);
      case "image":
        return [{ type: "image", ...pictureOf(element, this.#book) }];
      case "table":
        return this.#table(element, level);
      case "section":
        return [];
      default:
        return this.#unknown(element, level);
    }
  }

  #unknown(element: XmlElement, level: number): Block[] {
    const flow = this.#flow(element, level);
    return flow.length > 0 ? flow : paragraph(writeInlines(element, this.#book));
  }

  // One line, as headings are.
  #heading(title: XmlElement, level: number): Block[] {
    const inlines = childElements(title).flatMap((child) => {
      const line = writeInlines(child, this.#book);
      return line.length === 0 ? [] : [" ", ...line];
    });
    return inlines.length === 0 ? [] : [{ type: "heading", level, inlines: inlines.slice(1) }];
  }

  // Ornaments between scenes are marked up as subtitles too.
  #subtitle(element: XmlElement, level: number): Block[] {
    const inlines = writeInlines(element, this.#book);
    return /[\p{L}\p{N}]/u.test(elementText(element)) ? [{ type: "heading", level, inlines }] : paragraph(inlines);
  }

  #stanza(stanza: XmlElement, level: number): Block[] {
    const blocks: Block[] = [];
    let lines: Inline[] = [];
    const end = (): void => {
      blocks.push(...paragraph(lines));
      lines = [];
    };
    for (const child of childElements(stanza)) {
      if (child.name === "v") {
        if (lines.length > 0) lines.push({ type: "lineBreak" });
        lines.push(...writeInlines(child, this.#book));
      } else {
        end();
        blocks.push(...this.#block(child, level));
      }
    }
    end();
    return blocks;
  }

  #table(table: XmlElement, level: number): Block[] {
    const rows = childElements(table, "tr").map((row) => childElements(row).map((cell) => this.#cell(cell, level)));
    this.#book.budget.takeTableCells(rows.reduce((count, row) => count + row.length, 0));
    const first = childElements(table, "tr")[0];
    const isHeaded = first !== undefined && childElements(first).every(({ name }) => name === "th");
    return rows.length === 0 ? [] : [{ type: "table", rows, headerRowCount: isHeaded ? 1 : 0 }];
  }

  #cell(cell: XmlElement, level: number): RichCell {
    const [rowSpan, columnSpan] = [spanOf(cell, "rowspan"), spanOf(cell, "colspan")];
    const flow = this.#flow(cell, level);
    return {
      blocks: flow.length > 0 ? flow : paragraph(writeInlines(cell, this.#book)),
      ...(rowSpan > 1 && { rowSpan }),
      ...(columnSpan > 1 && { columnSpan }),
    };
  }
}

function paragraph(inlines: readonly Inline[]): Block[] {
  return inlines.length === 0 ? [] : [{ type: "paragraph", inlines }];
}

function quote(blocks: readonly Block[]): Block[] {
  return blocks.length === 0 ? [] : [{ type: "quote", blocks }];
}

function spanOf(cell: XmlElement, name: string): number {
  const value = Number(cell.attributes.get(name) ?? 1);
  return Number.isInteger(value) && value >= 1 && value <= 1000 ? value : 1;
}
