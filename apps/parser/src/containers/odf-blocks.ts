import type { Block, Inline, List, Table } from "../document/document.ts";
import type { OdfContext } from "./odf-context.ts";
import type { OdfElement } from "./odf-element.ts";
import { OdfFrames } from "./odf-frames.ts";
import { type OdfListBlocks, OdfLists } from "./odf-lists.ts";
import { SpanReader } from "./odf-spans.ts";
import type { ParagraphKind } from "./odf-styles.ts";
import { attachCaption, readOdfTable } from "./odf-tables.ts";
import { type TextSpan, textOfInlines, toInlines } from "./opc-inlines.ts";

/** Turns the body of a text, or any part of it, into blocks. One for each document: lists go on where others ended. */
export class OdfBlocks {
  readonly #context: OdfContext;
  readonly #lists: OdfLists;
  readonly #frames: OdfFrames;
  /** Added to the levels of headings. */
  readonly #headingShift: number;
  readonly #toBlocks = (parent: OdfElement): Block[] => this.read(parent);

  constructor(context: OdfContext, headingShift: number) {
    this.#context = context;
    this.#headingShift = headingShift;
    this.#lists = new OdfLists(context, this.#toBlocks);
    this.#frames = new OdfFrames(context, this.#toBlocks);
  }

  /** Blocks of the children of an element. */
  read(parent: OdfElement): Block[] {
    const assembler = new Assembler();
    for (const child of parent.elements()) this.#element(child, assembler);
    return assembler.finish();
  }

  #element(element: OdfElement, assembler: Assembler): void {
    switch (element.name) {
      case "text:p":
      case "text:h":
        return this.#paragraph(element, assembler);
      case "text:list":
        return assembler.addList(this.#lists.read(element));
      case "table:table":
        return this.#table(element, assembler);
      case "text:section":
        return this.#section(element, assembler);
      case "text:numbered-paragraph":
      case "text:bibliography":
      case "text:index-body":
      case "office:text":
        return assembler.addAll(this.read(element));
      default:
        return this.#other(element, assembler);
    }
  }

  #other(element: OdfElement, assembler: Assembler): void {
    if (indexes.has(element.name)) this.#context.warn("Tables of contents and indexes were left out.");
    else if (element.name === "text:tracked-changes") this.#trackedChanges(element);
    else if (element.name === "office:annotation") this.#context.warn("Comments were left out.");
    else if (element.name.startsWith("draw:")) {
      for (const content of this.#frames.read(element))
        assembler.addAll(content.type === "blocks" ? content.blocks : [toBlock(content.inline)]);
    }
    // Wrappers that are not known may hold paragraphs.
    else assembler.addAll(this.read(element));
  }

  #trackedChanges(element: OdfElement): void {
    if (element.descendant("text:deletion") !== undefined)
      this.#context.warn("Text deleted under tracked changes was left out.");
  }

  #section(element: OdfElement, assembler: Assembler): void {
    const isHidden = element.get("text:display") === "none" || element.get("text:is-hidden") === "true";
    if (isHidden) this.#context.warn("Hidden sections were left out.");
    else assembler.addAll(this.read(element));
  }

  #table(element: OdfElement, assembler: Assembler): void {
    let table: Table | undefined;
    this.#lists.outside(() => {
      table = readOdfTable(element, this.#context, this.#toBlocks);
      return [];
    });
    if (table !== undefined) assembler.addTable(table);
  }

  #paragraph(element: OdfElement, assembler: Assembler): void {
    const styleName = element.get("text:style-name") ?? element.get("text:cond-style-name");
    const kind = this.#kindOf(element, styleName);
    const reader = new SpanReader(this.#context, this.#toBlocks, kind.type === "code");
    const { spans, floats, isHidden } = reader.read(element);
    if (isHidden) this.#context.warn("Hidden paragraphs were left out.");
    else assembler.addParagraph(kind, spans, this.#headingShift);
    assembler.addAll(kind.type === "figureCaption" ? [] : floats);
    if (kind.type === "figureCaption") assembler.addFigure(floats);
  }

  #kindOf(element: OdfElement, styleName: string | undefined): ParagraphKind {
    const kind = this.#context.styles.paragraphKind(styleName);
    if (element.name !== "text:h") return kind;
    const level = Number(element.get("text:outline-level") ?? 1);
    return { type: "heading", level: level >= 1 && level <= 64 ? Math.floor(level) : 1 };
  }
}

/** Page lists made of what the text has anyway. */
const indexes = new Set([
  "text:table-of-content",
  "text:illustration-index",
  "text:table-index",
  "text:object-index",
  "text:user-index",
  "text:alphabetical-index",
]);

/** Joins lines of code, paragraphs of one quotation, and captions with what they belong to. */
class Assembler {
  readonly #blocks: Block[] = [];
  #codeLines: string[] = [];
  #quoted: Block[] = [];
  #pendingCaption: Block | undefined;
  #isAfterTable = false;

  addParagraph(kind: ParagraphKind, spans: readonly TextSpan[], headingShift: number): void {
    if (kind.type === "code") {
      this.#leave("code");
      this.#codeLines.push(codeText(spans));
      return;
    }
    const inlines = toInlines(kind.type === "heading" ? spans.map(withoutBold) : spans);
    if (inlines.length === 0) {
      if (this.#codeLines.length === 0) this.#isAfterTable = false;
      return;
    }
    this.#addInlines(kind, inlines, headingShift);
  }

  #addInlines(kind: ParagraphKind, inlines: readonly Inline[], headingShift: number): void {
    switch (kind.type) {
      case "title":
        return this.#add({ type: "heading", level: 1, inlines });
      case "subtitle":
        return this.#add({ type: "heading", level: 2, inlines });
      case "heading":
        return this.#add({ type: "heading", level: kind.level + headingShift, inlines });
      case "quote":
        this.#leave("quote");
        this.#quoted.push({ type: "paragraph", inlines });
        return;
      case "tableCaption":
        return this.#addTableCaption({ type: "paragraph", inlines });
      case "figureCaption":
        return this.#addFigureCaption(inlines);
      default:
        this.#add(toBlockOf(inlines));
    }
  }

  // The paragraph under a table belongs to it; any other waits for the table that follows.
  #addTableCaption(caption: Block): void {
    const last = this.#blocks.at(-1);
    if (this.#isAfterTable && last?.type === "table" && last.caption === undefined) {
      this.#blocks[this.#blocks.length - 1] = attachCaption(last, caption);
      return;
    }
    this.#leave();
    this.#pendingCaption = caption;
  }

  // A caption has its picture in the same paragraph, or in the block before it.
  #addFigureCaption(inlines: readonly Inline[]): void {
    const images = inlines.filter((inline) => typeof inline !== "string" && inline.type === "image");
    const words = inlines.filter((inline) => typeof inline === "string" || inline.type !== "image");
    const [image] = images;
    if (images.length === 1 && image !== undefined) {
      this.#add({ ...image, ...(textOfInlines(words).trim() !== "" && { caption: trimStart(words) }) });
      return;
    }
    const last = this.#blocks.at(-1);
    if (images.length === 0 && last?.type === "image" && last.caption === undefined)
      this.#blocks[this.#blocks.length - 1] = { ...last, caption: inlines };
    else this.#add({ type: "paragraph", inlines });
  }

  /** Adds what is anchored in the caption of a figure. */
  addFigure(blocks: readonly Block[]): void {
    this.addAll(blocks);
  }

  addTable(table: Table): void {
    const caption = this.#pendingCaption;
    this.#pendingCaption = undefined;
    this.#add(caption === undefined ? table : attachCaption(table, caption));
    this.#isAfterTable = true;
  }

  addAll(blocks: readonly Block[]): void {
    for (const block of blocks) this.#add(block);
  }

  /** Adds a list; inner lists at its beginning, without an item of their own, go into the item before. */
  addList({ leading, blocks }: OdfListBlocks): void {
    const last = this.#blocks.at(-1);
    const [first, ...rest] = blocks;
    if (last?.type !== "list" || this.#hasOpenParts) return this.addAll([...leading, ...blocks]);
    const extended = appendToLastItem(last, leading);
    const isContinued = first?.type === "list" && goesOn(extended, first);
    this.#blocks[this.#blocks.length - 1] = isContinued
      ? { ...extended, items: [...extended.items, ...first.items] }
      : extended;
    this.addAll(isContinued ? rest : blocks);
  }

  get #hasOpenParts(): boolean {
    return this.#codeLines.length > 0 || this.#quoted.length > 0 || this.#pendingCaption !== undefined;
  }

  #add(block: Block): void {
    this.#leave();
    this.#blocks.push(block);
  }

  // Ends what the next block does not go on with.
  #leave(next?: "code" | "quote"): void {
    this.#isAfterTable = false;
    if (next !== "code" && this.#codeLines.length > 0) {
      const text = this.#codeLines.join("\n").replace(/^\n+/, "").trimEnd();
      if (text !== "") this.#blocks.push({ type: "code", text });
      this.#codeLines = [];
    }
    if (next !== "quote" && this.#quoted.length > 0) {
      this.#blocks.push({ type: "quote", blocks: this.#quoted });
      this.#quoted = [];
    }
    if (this.#pendingCaption !== undefined) {
      this.#blocks.push(this.#pendingCaption);
      this.#pendingCaption = undefined;
    }
  }

  finish(): Block[] {
    this.#leave();
    return this.#blocks;
  }
}

// Some programs write each item as a list of its own.
function goesOn(list: List, next: List): boolean {
  if (list.ordered !== next.ordered) return false;
  return !list.ordered || (next.start ?? 1) === (list.start ?? 1) + list.items.length;
}

function appendToLastItem(list: List, blocks: readonly Block[]): List {
  const last = list.items.at(-1);
  return last === undefined || blocks.length === 0
    ? list
    : { ...list, items: [...list.items.slice(0, -1), { ...last, blocks: [...last.blocks, ...blocks] }] };
}

function codeText(spans: readonly TextSpan[]): string {
  return spans.map(({ content }) => (typeof content === "string" ? content : textOfInlines([content]))).join("");
}

// Headings are bold by their nature.
function withoutBold(span: TextSpan): TextSpan {
  return { ...span, format: span.format & ~1 };
}

function trimStart(inlines: readonly Inline[]): readonly Inline[] {
  const [first, ...rest] = inlines;
  return typeof first === "string" ? [first.trimStart(), ...rest] : inlines;
}

function toBlockOf(inlines: readonly Inline[]): Block {
  const [only] = inlines;
  return inlines.length === 1 && typeof only === "object" && (only.type === "image" || only.type === "formula")
    ? toBlock(only)
    : { type: "paragraph", inlines };
}

function toBlock(inline: Exclude<Inline, string>): Block {
  return inline.type === "image" || inline.type === "formula" ? inline : { type: "paragraph", inlines: [inline] };
}
