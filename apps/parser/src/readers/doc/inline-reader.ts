import type { TextSpan } from "../../containers/opc-inlines.ts";
import { decodeSymbolText } from "../../containers/opc-symbols.ts";
import { type FieldStack, kindOf, symbolOf } from "../../containers/word-fields.ts";
import type { ImageContent } from "../../document/document.ts";
import { decodeNarrow, decodeWide6 } from "./decode-characters.ts";
import { isControl, shownControl } from "./form-controls.ts";
import type { RunLook } from "./run-looks.ts";
import type { ParagraphStyle } from "./stylesheet.ts";
import { cellMark, paragraphMark, type RawParagraph, type TextRun } from "./text-run.ts";
import type { Anchored } from "./drawings.ts";
import type { WordReading } from "./word-reading.ts";

export interface ReadInlines {
  readonly spans: TextSpan[];
  /** What is anchored in the paragraph and stands apart from its text. */
  readonly anchored: readonly Anchored[];
  /** Whether there is text and all of it is in a monospaced font. */
  readonly isMonospaced: boolean;
  /** Whether the end of the paragraph was deleted, so that it goes on with the next one. */
  readonly isEndDeleted: boolean;
}

interface InlinePlace {
  readonly reading: WordReading;
  readonly fields: FieldStack;
  readonly style: ParagraphStyle;
}

/** The content of a paragraph. Tabs stay tabs; line breaks are inlines. */
export function readInlines(paragraph: RawParagraph, place: InlinePlace): ReadInlines {
  const reader = new InlineReader(place);
  for (const run of paragraph.runs) reader.readRun(run);
  return reader;
}

const control = /\p{Cc}/u;

class InlineReader implements ReadInlines {
  readonly spans: TextSpan[] = [];
  readonly anchored: Anchored[] = [];
  isEndDeleted = false;
  readonly #reading: WordReading;
  readonly #fields: FieldStack;
  readonly #style: ParagraphStyle;
  // What a control of a form shows, until its field ends.
  #shownControl: string | undefined;
  #textLength = 0;
  #monospacedLength = 0;

  constructor({ reading, fields, style }: InlinePlace) {
    this.#reading = reading;
    this.#fields = fields;
    this.#style = style;
  }

  get isMonospaced(): boolean {
    return this.#textLength > 0 && this.#monospacedLength === this.#textLength;
  }

  readRun(run: TextRun): void {
    const look = this.#reading.looks.lookOf(run, this.#style);
    const text = this.#decode(run, look);
    this.#countLosses(text, look);
    this.isEndDeleted = look.isDeleted && endsParagraph(text.charCodeAt(text.length - 1));
    const isPlain = !look.isSpecial && !control.test(text) && !this.#reading.hasOwnMarks;
    if (isPlain) this.#pushText(text, look);
    else this.#readMarks(text, run.start, look);
  }

  #decode({ bytes, bytesPerCharacter }: TextRun, { fontIndex }: RunLook): string {
    const { isWord6 } = this.#reading.file.fib;
    if (bytesPerCharacter === 2) return isWord6 ? decodeWide6(bytes) : bytes.toString("utf16le");
    return isWord6 ? this.#reading.fonts.decode(bytes, fontIndex) : decodeNarrow(bytes);
  }

  #countLosses(text: string, { isHidden, isDeleted, isSpecial }: RunLook): void {
    if ((!isHidden && !isDeleted) || isSpecial || !/[^\s\p{Cc}]/u.test(text)) return;
    if (!this.#fields.isEmpty && !this.#fields.isVisible) return;
    if (isDeleted) this.#reading.count("deleted");
    else if (this.#style.role !== "toc" && !this.#fields.isInToc) this.#reading.count("hidden");
  }

  // Text between marks is taken as one.
  #readMarks(text: string, start: number, look: RunLook): void {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const isSpecial = code < 0x20 || look.isSpecial;
      const ownNote = this.#reading.hasOwnMarks && code !== 0x02 ? this.#reading.noteAt(start + at) : undefined;
      if (!isSpecial && ownNote === undefined) continue;
      this.#pushText(text.slice(from, at), look);
      if (ownNote !== undefined) this.#pushNote(start + at, look);
      from = isSpecial ? at + 1 : at;
      if (isSpecial) this.#readMark(code, start + at, look);
    }
    this.#pushText(text.slice(from), look);
  }

  #readMark(code: number, position: number, look: RunLook): void {
    if (fieldMarks.has(code)) return this.#readFieldMark(code, look);
    if (look.isDeleted) return;
    if (code === commentMark && look.isSpecial) return this.#reading.count("comments");
    const plain = plainCharacters.get(code);
    if (plain !== undefined && !(look.isSpecial && code !== 0x09)) return this.#pushText(plain, look);
    if (lineBreaks.has(code)) return this.#pushBreak(look);
    if (look.isSpecial && !look.isHidden) this.#readSpecial(code, position, look);
  }

  #readSpecial(code: number, position: number, look: RunLook): void {
    if (code === pictureMark) this.#readPicture(look);
    else if (code === noteMark) this.#pushNote(position, look);
    else if (code === shapeMark) this.#readAnchor(position);
    else if (look.symbol !== undefined) this.#pushText(String.fromCharCode(look.symbol.code), look);
    else if (code >= 0x20 && !tagMarks.has(code)) this.#pushText(String.fromCharCode(code), look);
  }

  #readFieldMark(code: number, look: RunLook): void {
    const fields = this.#fields;
    if (code === fieldBegin) return fields.begin();
    if (code === fieldSeparator) return this.#tellObject(fields.separate(), look);
    const symbol = symbolOf(fields.end() ?? "");
    if (symbol !== undefined) this.#pushText(symbol.text, { ...look, font: symbol.font });
    if (this.#shownControl !== undefined) this.#pushText(this.#shownControl, look);
    this.#shownControl = undefined;
  }

  #tellObject(instruction: string | undefined, { isDeleted }: RunLook): void {
    if (instruction === undefined || isDeleted || kindOf(instruction) !== "EMBED") return;
    const program = /^\s*EMBED\s+([\w.-]{1,80})/i.exec(instruction)?.[1] ?? "unknown program";
    this.#reading.context.warn(`An embedded object (${program}) was left out; its picture, if any, stands for it.`);
  }

  #readPicture({ picturePlace, isData, isHidden }: RunLook): void {
    if (picturePlace === undefined || isHidden) return;
    const { pictures } = this.#reading;
    const state = isData ? pictures.inlineBlock(picturePlace)?.content : undefined;
    if (state !== undefined && isControl(state)) this.#shownControl = shownControl(state);
    if (isData || !this.#fields.isVisible) return;
    this.#pushImage(pictures.inlineImage(picturePlace));
  }

  #pushImage(image: ImageContent | undefined): void {
    if (image !== undefined) this.#push({ content: { type: "image", ...image }, format: 0 });
  }

  #readAnchor(position: number): void {
    const anchored = this.#fields.isVisible ? this.#reading.drawings.at(position) : undefined;
    if (anchored !== undefined) this.anchored.push(anchored);
  }

  // The mark at the beginning of a note's own text belongs to no reference.
  #pushNote(position: number, { isHidden, isDeleted }: RunLook): void {
    const note = this.#reading.noteAt(position);
    if (note === undefined || isHidden || isDeleted) return;
    this.#push({ content: { type: "noteReference", id: this.#reading.useNote(note) }, format: 0 });
  }

  #pushBreak({ isHidden }: RunLook): void {
    if (!isHidden) this.#push({ content: { type: "lineBreak" }, format: 0 });
  }

  #pushText(text: string, look: RunLook): void {
    if (text === "") return;
    if (!this.#fields.isEmpty && !this.#fields.isVisible) return this.#fields.addInstruction(text);
    if (look.isHidden || look.isDeleted) return;
    this.#textLength += text.length;
    if (look.isMonospaced) this.#monospacedLength += text.length;
    this.#push({ content: decodeSymbolText(text, look.font), format: look.format });
  }

  #push(span: TextSpan): void {
    const fields = this.#fields;
    if (!fields.isEmpty && !fields.isVisible) return;
    const { link } = fields;
    const last = this.spans.at(-1);
    const isSame = last !== undefined && last.format === span.format && last.link === link;
    if (isSame && typeof last.content === "string" && typeof span.content === "string") {
      this.spans[this.spans.length - 1] = { ...last, content: last.content + span.content };
    } else this.spans.push(link === undefined ? span : { ...span, link });
  }
}

function endsParagraph(code: number): boolean {
  return code === paragraphMark || code === cellMark;
}

// Characters with a meaning of their own ([MS-DOC] 2.4.1 and 2.9.38).
const pictureMark = 0x01;
const noteMark = 0x02;
const commentMark = 0x05;
const shapeMark = 0x08;
const fieldBegin = 0x13;
const fieldSeparator = 0x14;
const fieldMarks: ReadonlySet<number> = new Set([fieldBegin, fieldSeparator, 0x15]);
/** Begin and end of tags of XML, which show nothing. */
const tagMarks: ReadonlySet<number> = new Set([0x3c, 0x3e]);
/** Breaks of lines, pages and columns. */
const lineBreaks: ReadonlySet<number> = new Set([0x0b, 0x0c, 0x0e]);
const plainCharacters: ReadonlyMap<number, string> = new Map([
  [0x09, "\t"],
  [0x1e, "\u2011"],
]);
