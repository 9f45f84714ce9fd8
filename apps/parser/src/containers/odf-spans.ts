import type { Block } from "../document/document.ts";
import type { OdfContext } from "./odf-context.ts";
import type { OdfElement } from "./odf-element.ts";
import { OdfFrames } from "./odf-frames.ts";
import type { TextFormat } from "./odf-styles.ts";
import type { TextSpan } from "./opc-inlines.ts";

/** Turns the children of an element into blocks. */
export type ToBlocks = (parent: OdfElement) => Block[];

export interface ParagraphContent {
  readonly spans: readonly TextSpan[];
  /** Text boxes, tables and the like that are anchored in the paragraph. */
  readonly floats: readonly Block[];
  readonly isHidden: boolean;
}

/** Spaces that one `text:s` stands for; a count of two thousand million is an attack. */
const maxSpaces = 256;

interface SpanState {
  readonly format: number;
  readonly link: string | undefined;
}

type Handler = (reader: SpanReader, element: OdfElement, state: SpanState) => void;

/** Elements whose content is no text of the paragraph. */
const skipped = new Set(
  (
    "office:event-listeners text:script text:bookmark text:bookmark-start text:bookmark-end text:reference-mark " +
    "text:reference-mark-start text:reference-mark-end text:change text:change-start text:change-end text:toc-mark " +
    "text:toc-mark-start text:toc-mark-end text:alphabetical-index-mark text:alphabetical-index-mark-start " +
    "text:alphabetical-index-mark-end text:user-index-mark text:soft-page-break office:annotation-end " +
    "presentation:header presentation:footer presentation:date-time svg:title svg:desc text:tracked-changes"
  ).split(" "),
);

const handlers: Readonly<Record<string, Handler>> = {
  "text:s": (reader, element, state) => reader.addText(" ".repeat(countOf(element)), state),
  "text:tab": (reader, _, state) => reader.addTab(state),
  "text:line-break": (reader, _, state) => reader.addContent({ type: "lineBreak" }, state),
  "text:span": (reader, element, state) => reader.addSpan(element, state),
  "text:a": (reader, element, state) => reader.addLink(element, state),
  "draw:a": (reader, element, state) => reader.addLink(element, state),
  "text:note": (reader, element, state) => reader.addNote(element, state),
  "office:annotation": (reader) => reader.context.warn("Comments were left out."),
  "text:ruby-text": (reader, element, state) => {
    const reading = element.text.trim();
    if (reading !== "") reader.addText(`(${reading})`, state);
  },
  "text:hidden-paragraph": (reader, element) => reader.hideIf(element.get("text:is-hidden") === "true"),
  "text:hidden-text": (reader, element, state) => {
    if (element.get("text:is-hidden") === "true") reader.context.warn("Hidden text was left out.");
    else reader.addText(element.get("text:string-value") ?? element.text, state);
  },
};

/** Reads one paragraph. */
export class SpanReader {
  readonly context: OdfContext;
  readonly #toBlocks: ToBlocks;
  readonly #frames: OdfFrames;
  readonly #isCode: boolean;
  readonly #spans: TextSpan[] = [];
  readonly #floats: Block[] = [];
  #endsWithSpace = true;
  #isHidden = false;

  constructor(context: OdfContext, toBlocks: ToBlocks, isCode: boolean) {
    this.context = context;
    this.#toBlocks = toBlocks;
    this.#frames = new OdfFrames(context, toBlocks);
    this.#isCode = isCode;
  }

  read(paragraph: OdfElement): ParagraphContent {
    const format = this.context.styles.paragraphFormat(paragraph.get("text:style-name"));
    this.hideIf(format.isHidden);
    this.#children(paragraph, { format: apply(0, format), link: undefined });
    return { spans: this.#spans, floats: this.#floats, isHidden: this.#isHidden };
  }

  #children(parent: OdfElement, state: SpanState): void {
    for (const child of parent.children) {
      if (typeof child === "string") this.addText(collapse(child), state);
      else this.#element(child, state);
    }
  }

  #element(element: OdfElement, state: SpanState): void {
    if (skipped.has(element.name) || element.get("text:display") === "none") return;
    const handler = handlers[element.name];
    if (handler !== undefined) handler(this, element, state);
    else if (/^(?:draw|dr3d|table):/.test(element.name)) this.#frame(element, state);
    else this.#children(element, state);
  }

  hideIf(isHidden: boolean): void {
    this.#isHidden ||= isHidden;
  }

  // White space of the file is one space, and none at all after another one (ODF 1.3 part 3, 6.1.2); `text:s` stays.
  addText(text: string, { format, link }: SpanState): void {
    const content = this.#endsWithSpace && text.startsWith(" ") && !this.#isCode ? text.slice(1) : text;
    if (content === "") return;
    this.#endsWithSpace = content.endsWith(" ");
    this.#push({ content, format, ...(link !== undefined && { link }) });
  }

  addTab(state: SpanState): void {
    if (this.#endsWithSpace && !this.#isCode) return;
    this.#push({
      content: this.#isCode ? "\t" : " ",
      format: state.format,
      ...(state.link !== undefined && { link: state.link }),
    });
    this.#endsWithSpace = true;
  }

  addContent(content: Exclude<TextSpan["content"], string>, { format, link }: SpanState): void {
    this.#endsWithSpace = content.type === "lineBreak";
    this.#push({ content, format, ...(link !== undefined && { link }) });
  }

  #push(span: TextSpan): void {
    this.#spans.push(span);
  }

  addSpan(element: OdfElement, state: SpanState): void {
    const format = this.context.styles.textFormat(element.get("text:style-name"));
    if (format.isHidden) this.context.warn("Hidden text was left out.");
    else this.#children(element, { ...state, format: apply(state.format, format) });
  }

  addLink(element: OdfElement, state: SpanState): void {
    const target = element.get("xlink:href") ?? "";
    const isExternal = /^(?:https?|ftp|mailto|tel|news|doi):/i.test(target);
    this.#children(element, isExternal ? { ...state, link: target } : state);
  }

  addNote(element: OdfElement, state: SpanState): void {
    const id = this.context.notes.nextId();
    const body = element.child("text:note-body");
    const blocks = body === undefined ? [] : this.#toBlocks(body);
    this.context.notes.footnotes.push({ type: "footnote", id, blocks });
    this.addContent({ type: "noteReference", id }, state);
  }

  #frame(element: OdfElement, state: SpanState): void {
    for (const content of this.#frames.read(element)) {
      if (content.type === "inline") this.addContent(content.inline, state);
      else this.#floats.push(...content.blocks);
    }
  }
}

function apply(format: number, { set, cleared }: TextFormat): number {
  return (format | set) & ~cleared;
}

function collapse(text: string): string {
  return /[\t\n\r]| {2}/.test(text) ? text.replaceAll(/[ \t\n\r]+/g, " ") : text;
}

function countOf(element: OdfElement): number {
  const count = Number(element.get("text:c") ?? 1);
  return count >= 1 ? Math.min(maxSpaces, Math.floor(count)) : 1;
}
