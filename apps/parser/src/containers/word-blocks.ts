import { type TextSpan, textOfInlines, toInlines, runFormat } from "./opc-inlines.ts";
import type { Block, Inline, Table } from "../document/document.ts";
import { ListBuilder } from "./word-lists.ts";
import type { ParagraphRole } from "./word-names.ts";
import type { NumberedPlace } from "./word-numbering.ts";

/** One paragraph of Word, before it is known what of it belongs together. */
export interface FlatParagraph {
  readonly spans: readonly TextSpan[];
  readonly role: ParagraphRole;
  readonly headingLevel: number | undefined;
  readonly place: NumberedPlace | undefined;
  /** Left indent in twentieths of a point. */
  readonly indent: number | undefined;
  readonly isMonospaced: boolean;
}

/** Puts paragraphs together to blocks: lists, quotes, code, captions. */
export class BlockBuilder {
  readonly #blocks: Block[] = [];
  readonly #list = new ListBuilder();
  #quoted: Block[] = [];
  #codeLines: string[] = [];
  #codeRole: "style" | "font" | undefined;
  // The caption that stands last, until another block comes.
  #caption: Block | undefined;

  addParagraph(paragraph: FlatParagraph): void {
    if (this.#addCode(paragraph)) return;
    const spans = paragraph.spans.some(hasTab) ? paragraph.spans.map(withoutTab) : paragraph.spans;
    const inlines = toInlines(spans);
    if (inlines.length === 0) return;
    if (paragraph.headingLevel !== undefined || paragraph.role === "title") this.#addHeading(paragraph, spans);
    else if (paragraph.place !== undefined && isListed(paragraph.place))
      this.#addListItem(paragraph.place, paragraph, inlines);
    else this.#addText(paragraph, inlines);
  }

  /** A block that is no paragraph: a table, a text box's content. */
  addBlock(block: Block): void {
    const caption = this.#caption;
    this.#close();
    if (block.type === "table" && caption?.type === "paragraph" && this.#blocks.at(-1) === caption) {
      this.#blocks.pop();
      this.#blocks.push(withCaption(block, caption.inlines));
    } else this.#blocks.push(block);
  }

  finish(): Block[] {
    this.#close();
    return this.#blocks;
  }

  #addHeading({ headingLevel, place, role }: FlatParagraph, spans: readonly TextSpan[]): void {
    this.#close();
    const level = role === "title" ? 1 : (headingLevel ?? 1);
    const inlines = toInlines(withoutCommonBold(spans));
    const label = place === undefined || place.kind === "none" ? "" : place.label.trim().replace(/(?<=\d)\.$/, "");
    const oneLine = inlines.map((inline) => (typeof inline !== "string" && inline.type === "lineBreak" ? " " : inline));
    this.#blocks.push({ type: "heading", level, inlines: label === "" ? oneLine : prefixed(`${label} `, oneLine) });
  }

  #addListItem(place: NumberedPlace, { indent }: FlatParagraph, inlines: readonly Inline[]): void {
    if (!this.#list.isOpen) this.#close();
    const task = takeTaskMark(inlines);
    const content = contentBlocks(task?.inlines ?? inlines);
    this.#list.addItem(place, indent ?? 0, {
      blocks: content,
      ...(task !== undefined && { isChecked: task.isChecked }),
    });
  }

  #addText(paragraph: FlatParagraph, inlines: readonly Inline[]): void {
    const labelled =
      paragraph.place?.hasWords === true ? prefixed(`${paragraph.place.label.trim()} `, inlines) : inlines;
    const blocks = contentBlocks(labelled);
    if (this.#continuesItem(paragraph, blocks)) return;
    if (paragraph.role === "quote") {
      if (this.#quoted.length === 0) this.#close();
      this.#quoted.push(...blocks);
      return;
    }
    if (paragraph.role === "toc") return this.#addTocEntry(paragraph, inlines);
    this.#close();
    if (paragraph.role === "caption") return this.#addCaption(inlines);
    const isTerm = paragraph.role === "definitionTerm";
    this.#blocks.push(...(isTerm ? [termOf(inlines)] : blocks));
  }

  #continuesItem({ role, indent, place }: FlatParagraph, blocks: readonly Block[]): boolean {
    if (!this.#list.isOpen || place?.hasWords === true || (role !== "body" && role !== "listText")) return false;
    const wanted = indent ?? (role === "listText" ? Infinity : 0);
    return wanted > 0 && blocks.every((block) => this.#list.continueItem(block, wanted));
  }

  // Entries of a table of contents are one list, nested as their indents are.
  #addTocEntry({ indent }: FlatParagraph, inlines: readonly Inline[]): void {
    if (!this.#list.isOpen) this.#close();
    const level = Math.max(0, Math.min(8, Math.round((indent ?? 0) / 200)));
    const place = { ...tocPlace, level };
    this.#list.addItem(place, indent ?? 0, { blocks: [{ type: "paragraph", inlines }] });
  }

  #addCaption(inlines: readonly Inline[]): void {
    const last = this.#blocks.at(-1);
    if (last?.type === "image" && last.caption === undefined) {
      this.#blocks[this.#blocks.length - 1] = { ...last, caption: inlines };
      return;
    }
    this.#caption = { type: "paragraph", inlines };
    this.#blocks.push(this.#caption);
  }

  #addCode({ spans, role, isMonospaced, headingLevel, place }: FlatParagraph): boolean {
    const isProse = headingLevel !== undefined || place !== undefined || spans.some(({ content }) => isMedia(content));
    if (isProse) return false;
    const text = spans
      .map(({ content }) => (typeof content === "string" ? content : textOfInlines([content])))
      .join("");
    const kind = this.#codeKind(text, role, isMonospaced);
    if (kind === undefined) return false;
    if (this.#codeRole !== kind) this.#close();
    this.#codeRole = kind;
    this.#codeLines.push(text.trimEnd());
    return true;
  }

  // Styles of code are believed; preformatted and monospaced text may be a letter from a typewriter.
  #codeKind(text: string, role: ParagraphRole, isMonospaced: boolean): "style" | "font" | undefined {
    if (role === "code") return "style";
    if (!isMonospaced && role !== "preformatted") return undefined;
    const isCode = this.#codeRole === "font" ? mayBeCode(text) : looksLikeCode(text);
    return isCode ? "font" : undefined;
  }

  #close(): void {
    this.#caption = undefined;
    for (const list of this.#list.take()) this.#blocks.push(list);
    if (this.#quoted.length > 0) this.#blocks.push({ type: "quote", blocks: this.#quoted });
    this.#quoted = [];
    const code = this.#codeLines.join("\n").trimEnd().replace(/^\n+/, "");
    if (code !== "") this.#blocks.push({ type: "code", text: code });
    this.#codeLines = [];
    this.#codeRole = undefined;
  }
}

const tocPlace: NumberedPlace = {
  numberingId: "toc",
  level: 0,
  kind: "bullet",
  number: 1,
  label: "",
  hasWords: false,
  indent: undefined,
};

/** What code has and a letter from a typewriter has not: braces, operators, calls, keywords at the start of the line. */
const codeSigns =
  /[{};]\s*$|=>|[=!<>]=|\S\s?=\s?\S|\w\([^()]*\)\s*[:;{]?\s*$|<\/?\w[^>]*>|^\s*(?:[#$>]\s?\w|(?:import|from|def|class|return|for|while|select|sudo)\s)/im;

function looksLikeCode(text: string): boolean {
  return mayBeCode(text) && codeSigns.test(text);
}

/** Characters of one paragraph that may still be a few lines of code. */
const maxCodeParagraph = 10_000;

// Lines of code are short, and mostly in ASCII.
function mayBeCode(text: string): boolean {
  if (text.length > maxCodeParagraph) return false;
  const foreign = text.length - text.replaceAll(/[^\t-~]/g, "").length;
  const longest = text.split("\n").reduce((most, line) => Math.max(most, line.length), 0);
  return longest <= 300 && foreign * 5 <= text.length;
}

function isListed({ kind, hasWords }: NumberedPlace): boolean {
  return kind !== "none" && !hasWords;
}

function isMedia(content: TextSpan["content"]): boolean {
  return typeof content !== "string" && content.type !== "lineBreak";
}

function hasTab({ content }: TextSpan): boolean {
  return typeof content === "string" && content.includes("\t");
}

function withoutTab(span: TextSpan): TextSpan {
  const { content } = span;
  return typeof content === "string" && content.includes("\t")
    ? { ...span, content: content.replaceAll("\t", " ") }
    : span;
}

// Bold throughout is how the heading looks, not a stress in it.
function withoutCommonBold(spans: readonly TextSpan[]): readonly TextSpan[] {
  const isBold = spans.every(
    ({ content, format }) => typeof content !== "string" || content.trim() === "" || (format & runFormat.bold) !== 0,
  );
  return isBold ? spans.map((span) => ({ ...span, format: span.format & ~runFormat.bold })) : spans;
}

function prefixed(text: string, inlines: readonly Inline[]): Inline[] {
  const [first, ...rest] = inlines;
  return typeof first === "string" ? [text + first, ...rest] : [text, ...inlines];
}

// A paragraph of pictures only, or of formulas only, is those blocks.
function contentBlocks(inlines: readonly Inline[]): Block[] {
  const parts = inlines.filter((inline) => typeof inline !== "string" || inline.trim() !== "");
  const blocks = parts.flatMap((part): Block[] => {
    if (typeof part === "string") return [];
    return part.type === "image" || part.type === "formula" ? [part] : [];
  });
  return blocks.length === parts.length ? blocks : [{ type: "paragraph", inlines }];
}

function termOf(inlines: readonly Inline[]): Block {
  return { type: "paragraph", inlines: [{ type: "strong", inlines }] };
}

function withCaption(table: Table, caption: readonly Inline[]): Table {
  return table.caption === undefined ? { ...table, caption } : table;
}

function takeTaskMark(
  inlines: readonly Inline[],
): { readonly isChecked: boolean; readonly inlines: Inline[] } | undefined {
  const [first, ...rest] = inlines;
  const mark = typeof first === "string" ? /^([☐☑☒🗹])\s*(?=\S|$)/u.exec(first) : null;
  if (mark === null || typeof first !== "string") return undefined;
  const text = first.slice(mark[0].length);
  const remaining = text === "" ? rest : [text, ...rest];
  return remaining.length === 0 ? undefined : { isChecked: mark[1] !== "☐", inlines: remaining };
}
