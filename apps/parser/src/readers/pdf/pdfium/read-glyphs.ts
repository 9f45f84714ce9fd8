import type { GrayPicture } from "../../../ocr/gray-picture.ts";
import type { Background, Box, Glyph, TextStyle, TextTag, Turn } from "../page-content.ts";
import { restoreLetters, unknownLetter } from "../restore-letters.ts";
import { settleTags } from "../settle-tags.ts";
import { findSymbolAlphabet, type SymbolAlphabet } from "../symbol-alphabets.ts";
import { identity, type Matrix, multiply, type PageFrame, transformBox, turnMatrix } from "./page-frame.ts";
import { createLigatureReader } from "./named-ligatures.ts";
import type { Pdfium } from "./pdfium.ts";
import { createStyleReader, type DrawnStyle } from "./read-text-style.ts";
import { createSuspicion, dropUnseen, type Suspicion } from "./unseen-text.ts";

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
  /** Elements of a tagged file by marked-content identifiers; empty where the file is not tagged. */
  readonly tags: ReadonlyMap<number, TextTag>;
  /** Draws the page, to judge whether text that may be hidden shows. */
  readonly draw: () => GrayPicture | undefined;
}

/** The glyphs of a page in the order of its content stream, as PDFium mends it for right-to-left scripts. */
export function readGlyphs(page: TextPage): TextLayer {
  const { pdfium, pointer } = page;
  const count = pdfium.raw._FPDFText_CountChars(pointer);
  const end = Math.min(count, maxGlyphs);
  const collector = new GlyphCollector(page);
  for (let index = 0; index < end; index++) collector.add(index);
  const seen = collector.suspects.size === 0 ? collector.glyphs : seenGlyphs(page, collector);
  const hiddenGlyphCount = collector.hiddenCount + collector.glyphs.length - seen.length;
  return { glyphs: settleTags(restoreLetters(seen)), hiddenGlyphCount, isCut: count > end };
}

function seenGlyphs({ draw, frame }: TextPage, { glyphs, suspects }: GlyphCollector): readonly Glyph[] {
  const picture = draw();
  return picture === undefined ? glyphs : dropUnseen(glyphs, suspects, { picture, frame });
}

/** From here on Unicode has the radicals, signs and characters of Chinese and Japanese, which may be written downwards. */
const firstIdeographic = 0x2e80;
const lineEndHyphen = 0x02;

class GlyphCollector {
  readonly glyphs: Glyph[] = [];
  readonly suspects = new Map<Glyph, Box>();
  hiddenCount = 0;
  readonly #page: TextPage;
  readonly #frames: readonly Matrix[];
  readonly #ligatureOf: ReturnType<typeof createLigatureReader>;
  readonly #styleOf: (index: number, textObject: number) => DrawnStyle;
  readonly #suspicionOf: ReturnType<typeof createSuspicion>;
  /** Addresses of out-parameters: the four floats of a box, then the two doubles of an origin. */
  readonly #box: number;
  readonly #origin: number;
  #textObject = -1;
  #style: DrawnStyle | undefined;
  #suspicion: Suspicion | undefined;
  readonly #alphabets = new Map<string, SymbolAlphabet | undefined>();
  #alphabet: SymbolAlphabet | undefined;
  #matrix: Matrix = identity;
  #width = 0;
  #height = 0;
  #baseline: number | undefined;
  #isAfterSpace = false;

  constructor(page: TextPage) {
    this.#page = page;
    const turns: readonly Turn[] = [0, 1, 2, 3, 4];
    this.#frames = turns.map((turn) => multiply(page.frame.matrix, turnMatrix(turn, page.frame)));
    this.#ligatureOf = createLigatureReader(page);
    this.#styleOf = createStyleReader(page);
    this.#suspicionOf = createSuspicion(page);
    this.#box = page.pdfium.scratch;
    this.#origin = page.pdfium.scratch + 16;
  }

  add(index: number): void {
    const { pdfium, pointer } = this.#page;
    const code = pdfium.raw._FPDFText_GetUnicode(pointer, index);
    if (isSpace(code)) {
      this.#isAfterSpace = true;
      return;
    }
    const textObject = pdfium.raw._FPDFText_GetTextObject(pointer, index);
    if (textObject !== this.#textObject) this.#enter(index, textObject);
    if (this.#style === undefined) return;
    if (this.#style.isHidden) this.hiddenCount++;
    else this.#place(index, code, this.#style.style);
  }

  #enter(index: number, textObject: number): void {
    this.#textObject = textObject;
    this.#baseline = undefined;
    // Characters that PDFium makes up, such as line ends, belong to no object.
    this.#style = textObject === 0 ? undefined : this.#styleOf(index, textObject);
    this.#suspicion = this.#style?.isHidden === false ? this.#suspicionOf(index, textObject) : undefined;
    if (this.#style === undefined) return;
    const { turn, fontName } = this.#style.style;
    this.#alphabet = this.#alphabetOf(fontName);
    const { width, height } = this.#page.frame;
    const isTurned = turn === 1 || turn === 3;
    this.#matrix = this.#frames[turn] as Matrix;
    this.#width = isTurned ? height : width;
    this.#height = isTurned ? width : height;
  }

  #place(index: number, code: number, style: TextStyle): void {
    const { pdfium, pointer } = this.#page;
    if (pdfium.raw._FPDFText_GetLooseCharBox(pointer, index, this.#box) === 0) return;
    // No destructuring here: this runs for every character of every page.
    const heap = pdfium.floats;
    const at = this.#box >> 2;
    const matrix = this.#matrix;
    const boxLeft = heap[at] as number;
    const boxTop = heap[at + 1] as number;
    const boxRight = heap[at + 2] as number;
    const boxBottom = heap[at + 3] as number;
    const x1 = matrix[0] * boxLeft + matrix[2] * boxTop + matrix[4];
    const x2 = matrix[0] * boxRight + matrix[2] * boxBottom + matrix[4];
    const y1 = matrix[1] * boxLeft + matrix[3] * boxTop + matrix[5];
    const y2 = matrix[1] * boxRight + matrix[3] * boxBottom + matrix[5];
    const baseline = this.#baselineAt(index, style.turn, code >= firstIdeographic);
    if (!isInside((x1 + x2) / 2, this.#width) || !isInside((y1 + y2) / 2, this.#height)) {
      this.hiddenCount++;
      return;
    }
    const text = this.#alphabet?.get(code) ?? this.#characterAt(index, code);
    if (text === unknownLetter && x1 === x2) return;
    const left = Math.min(x1, x2);
    const right = Math.max(x1, x2);
    const glyph = { text, left, right, baseline, isAfterSpace: this.#isAfterSpace, style };
    if (this.#suspicion !== undefined) {
      const box = { left: boxLeft, top: boxTop, right: boxRight, bottom: boxBottom };
      if (this.#isUnseen(glyph, box, this.#suspicion)) return;
    }
    this.glyphs.push(glyph);
    this.#isAfterSpace = false;
  }

  #alphabetOf(fontName: string): SymbolAlphabet | undefined {
    if (!this.#alphabets.has(fontName)) this.#alphabets.set(fontName, findSymbolAlphabet(fontName));
    return this.#alphabets.get(fontName);
  }

  // PDFium puts 2 for the hyphen at the end of a line; in fonts that only number their glyphs it is any other sign.
  #characterAt(index: number, code: number): string {
    const { pdfium, pointer } = this.#page;
    const isHyphen = code === lineEndHyphen && pdfium.raw._FPDFText_IsHyphen(pointer, index) === 1;
    if (isHyphen) return "-";
    return (isSign(code) ? this.#ligatureOf(index, this.#textObject, code) : undefined) ?? characterOf(code);
  }

  #isUnseen(glyph: Glyph, box: Box, { isUnseen, isCertain }: Suspicion): boolean {
    const shown = transformBox(this.#page.frame.matrix, box);
    if (!isUnseen(shown)) return false;
    if (isCertain) this.hiddenCount++;
    else this.suspects.set(glyph, shown);
    return isCertain;
  }

  // The glyphs of one text object stand on one line, but for slanted ones and for writing downwards.
  #baselineAt(index: number, turn: Turn, mayRunDown: boolean): number {
    if (this.#baseline === undefined || turn === slanted || mayRunDown) {
      const { pdfium, pointer } = this.#page;
      pdfium.raw._FPDFText_GetCharOrigin(pointer, index, this.#origin, this.#origin + 8);
      const at = this.#origin >> 3;
      const matrix = this.#matrix;
      this.#baseline =
        matrix[1] * (pdfium.doubles[at] as number) + matrix[3] * (pdfium.doubles[at + 1] as number) + matrix[5];
    }
    return this.#baseline;
  }
}

/** Text at any angle: every glyph has a baseline of its own. */
const slanted: Turn = 4;

// Some slack for glyphs that bleed over the edge.
function isInside(at: number, size: number): boolean {
  return at >= -2 && at <= size + 2;
}

// Control characters, signs and digits of ASCII: letters that stood for an unnamed ligature would make no words at all.
function isSign(code: number): boolean {
  return code < 0x20 || (code > 0x20 && code <= 0x40) || (code > 0x5a && code <= 0x60) || (code > 0x7a && code < 0x7f);
}

function isSpace(code: number): boolean {
  if (code > 0x20 && code < 0xa0) return false;
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
  if (code === 0xad) return "-";
  // Control characters are left to `restoreLetters`.
  if (code > 0x10ffff) return unknownLetter;
  const text = code < 0x10000 ? String.fromCharCode(code) : String.fromCodePoint(code);
  return isPresentationForm(code) ? text.normalize("NFKC") : text;
}

// Ligatures and the contextual shapes of Arabic and Hebrew letters.
function isPresentationForm(code: number): boolean {
  return (code >= 0xfb00 && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfefc);
}
