import type { Background, Glyph, TextStyle, Turn } from "../page-content.ts";
import { multiply, turnMatrix, type Matrix, type PageFrame } from "./page-frame.ts";
import type { Pdfium } from "./pdfium.ts";
import { createStyleReader, type DrawnStyle } from "./read-text-style.ts";

/** More glyphs on one page than any page holds; a page of 2 million is an attack. */
const maxGlyphs = 200_000;

export interface TextLayer {
  readonly glyphs: readonly Glyph[];
  readonly hiddenGlyphCount: number;
  readonly isCut: boolean;
}

/** The parts of a loaded page that decide how its text is read. */
export interface TextPage {
  readonly pdfium: Pdfium;
  /** PDFium's FPDF_TEXTPAGE. */
  readonly pointer: number;
  readonly frame: PageFrame;
  readonly backgrounds: readonly Background[];
  /** A picture covers the page: invisible text over it is what OCR found. */
  readonly isScan: boolean;
  readonly taggedLevels: ReadonlyMap<number, number>;
}

/** The glyphs of a page in the order of its content stream, as PDFium mends it for right-to-left scripts. */
export function readGlyphs(page: TextPage): TextLayer {
  const { pdfium, pointer } = page;
  const count = pdfium.raw._FPDFText_CountChars(pointer);
  const end = Math.min(count, maxGlyphs);
  const collector = new GlyphCollector(page);
  for (let index = 0; index < end; index++) collector.add(index);
  return { glyphs: collector.glyphs, hiddenGlyphCount: collector.hiddenCount, isCut: count > end };
}

const generatedHyphen = 0x02;
/** Stands for a glyph whose character the file does not tell. */
const unknown = "\uFFFD";

class GlyphCollector {
  readonly glyphs: Glyph[] = [];
  hiddenCount = 0;
  readonly #page: TextPage;
  readonly #frames: readonly Matrix[];
  readonly #styleOf: (index: number, textObject: number) => DrawnStyle;
  #textObject = -1;
  #style: DrawnStyle | undefined;
  #baseline: { readonly across: number; readonly along: number } | undefined;
  #isAfterSpace = false;

  constructor(page: TextPage) {
    this.#page = page;
    const turns: readonly Turn[] = [0, 1, 2, 3, 4];
    this.#frames = turns.map((turn) => multiply(page.frame.matrix, turnMatrix(turn, page.frame)));
    this.#styleOf = createStyleReader(page);
  }

  add(index: number): void {
    const { raw } = this.#page.pdfium;
    const code = raw._FPDFText_GetUnicode(this.#page.pointer, index);
    if (isSpace(code)) {
      this.#isAfterSpace = true;
      return;
    }
    const textObject = raw._FPDFText_GetTextObject(this.#page.pointer, index);
    if (textObject !== this.#textObject) this.#enter(index, textObject);
    if (this.#style === undefined) return;
    if (this.#style.isHidden) this.hiddenCount++;
    else this.#place(index, code, this.#style.style);
  }

  #enter(index: number, textObject: number): void {
    this.#textObject = textObject;
    // Characters that PDFium makes up, such as line ends, belong to no object.
    this.#style = textObject === 0 ? undefined : this.#styleOf(index, textObject);
    this.#baseline = undefined;
  }

  #place(index: number, code: number, style: TextStyle): void {
    const { pdfium, pointer, frame } = this.#page;
    if (pdfium.raw._FPDFText_GetLooseCharBox(pointer, index, pdfium.scratch) === 0) return;
    const [a, b, c, d, e, f] = this.#frames[style.turn] as Matrix;
    const x1 = a * pdfium.float(0) + c * pdfium.float(1) + e;
    const x2 = a * pdfium.float(2) + c * pdfium.float(3) + e;
    const y1 = b * pdfium.float(0) + d * pdfium.float(1) + f;
    const y2 = b * pdfium.float(2) + d * pdfium.float(3) + f;
    const baseline = this.#baselineAt(index, style.turn);
    const isTurned = style.turn === 1 || style.turn === 3;
    const isOnPage =
      isInside((x1 + x2) / 2, isTurned ? frame.height : frame.width) &&
      isInside((y1 + y2) / 2, isTurned ? frame.width : frame.height);
    if (!isOnPage) {
      this.hiddenCount++;
      return;
    }
    const text = characterOf(code);
    if (text === unknown && x1 === x2) return;
    const left = Math.min(x1, x2);
    const right = Math.max(x1, x2);
    this.glyphs.push({ text, left, right, baseline, isAfterSpace: this.#isAfterSpace, style });
    this.#isAfterSpace = false;
  }

  // The glyphs of one text object stand on one line, but for text that PDFium found written downwards.
  #baselineAt(index: number, turn: Turn): number {
    const { pdfium, pointer } = this.#page;
    if (this.#baseline === undefined || turn === 4) {
      const x = pdfium.cell(4);
      const { raw, scratch } = pdfium;
      // The char box lies in cells 0 to 3; the origin goes to the two doubles after it.
      raw._FPDFText_GetCharOrigin(pointer, index, x, scratch + 24);
      const doubles = new Float64Array(pdfium.bytes.buffer, x, 2);
      this.#baseline = { across: doubles[0] ?? 0, along: doubles[1] ?? 0 };
    }
    const [, b, , d, , f] = this.#frames[turn] as Matrix;
    return b * this.#baseline.across + d * this.#baseline.along + f;
  }
}

// Some slack for glyphs that bleed over the edge.
function isInside(at: number, size: number): boolean {
  return at >= -2 && at <= size + 2;
}

function isSpace(code: number): boolean {
  return (
    code === 0x20 ||
    code === 0x0a ||
    code === 0x0d ||
    code === 0xa0 ||
    code === 0x09 ||
    (code >= 0x2000 && code <= 0x200b) ||
    code === 0x3000
  );
}

function characterOf(code: number): string {
  if (code === generatedHyphen || code === 0xad) return "-";
  if (code < 0x20 || code > 0x10ffff || (code >= 0x7f && code < 0xa0)) return unknown;
  const text = String.fromCodePoint(code);
  return isPresentationForm(code) ? text.normalize("NFKC") : text;
}

// Ligatures and the contextual shapes of Arabic and Hebrew letters.
function isPresentationForm(code: number): boolean {
  return (code >= 0xfb00 && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfefc);
}
