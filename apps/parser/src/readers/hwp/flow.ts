import type { TextSpan } from "../../containers/opc-inlines.ts";
import { toInlines } from "../../containers/opc-inlines.ts";
import type { Block } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";
import { maxLevel, type TextLine, toBlocks } from "../slide-lines.ts";

/** How a paragraph is meant by its shape and its style. */
export interface ParagraphLook {
  readonly kind: "plain" | "heading" | "bullet" | "ordered";
  /** From 0. */
  readonly level: number;
  /** The numbering that an ordered paragraph takes part in. */
  readonly numbering: string;
}

export const plainLook: ParagraphLook = { kind: "plain", level: 0, numbering: "" };

/** A look by the name of a style, in Korean or English: outlines are what headings are elsewhere. */
export function lookOfStyleName(name: string): ParagraphLook | undefined {
  const outline = /^(?:개요|outline|제목|heading)\s*(\d{1,2})$/i.exec(name.trim());
  if (outline !== null) return { ...plainLook, kind: "heading", level: Math.max(0, Number(outline[1]) - 1) };
  return undefined;
}

/** What one document counts and tells while it is read. */
export class HangulReading {
  readonly context: ReadContext;
  readonly footnotes: Block[] = [];
  commentCount = 0;
  hasDeletedText = false;
  readonly #numbers = new Map<string, number>();

  constructor(context: ReadContext) {
    this.context = context;
  }

  /** Keeps a note for the end of the document. @returns the id that marks its place. */
  addNote(blocks: readonly Block[]): string {
    const id = String(this.footnotes.length + 1);
    this.footnotes.push({ type: "footnote", id, blocks });
    return id;
  }

  /** The next number of a numbering at this level; deeper levels begin again. */
  nextNumber(numbering: string, level: number): number {
    const next = (this.#numbers.get(`${numbering}/${level}`) ?? 0) + 1;
    this.#numbers.set(`${numbering}/${level}`, next);
    for (let deeper = level + 1; deeper <= maxLevel; deeper++) this.#numbers.delete(`${numbering}/${deeper}`);
    return next;
  }

  tellLosses(): void {
    if (this.hasDeletedText) this.context.warn("Text deleted under change tracking was left out.");
    if (this.commentCount > 0) this.context.warn(`Comments were left out (${this.commentCount}).`);
  }
}

/** Gathers paragraphs, and what stands between them, as blocks. */
export class Flow {
  readonly #reading: HangulReading;
  readonly #blocks: Block[] = [];
  #lines: TextLine[] = [];

  constructor(reading: HangulReading) {
    this.#reading = reading;
  }

  addParagraph(spans: readonly TextSpan[], look: ParagraphLook): void {
    const inlines = toInlines(spans);
    if (inlines.length === 0) return;
    const level = Math.min(look.level, maxLevel);
    if (look.kind === "heading") return this.addBlocks([{ type: "heading", level: level + 1, inlines }]);
    const start = look.kind === "ordered" ? this.#reading.nextNumber(look.numbering, level) : 1;
    this.#lines.push({ inlines, level, bullet: { kind: look.kind === "plain" ? "none" : look.kind, start } });
  }

  addBlocks(blocks: readonly Block[]): void {
    this.#flush();
    for (const block of blocks) this.#blocks.push(block);
  }

  finish(): Block[] {
    this.#flush();
    return this.#blocks;
  }

  #flush(): void {
    for (const block of toBlocks(this.#lines)) this.#blocks.push(block);
    this.#lines = [];
  }
}
