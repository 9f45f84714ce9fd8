import { type NamedSigns, readNamedSigns, signOfShape } from "./named-signs.ts";
import type { TextPage } from "./read-glyphs.ts";

/** Font programs larger than this are not looked into. */
const maxFontBytes = 4 * 2 ** 20;
/** The names of glyphs stand at the beginning of a font program (Adobe Technical Note #5176, 10: String INDEX). */
const namesWithinBytes = 8192;
/** Ligatures that Unicode has no character for, by the names of their glyphs (Adobe Glyph List Specification, 2). */
const ligatureNames = [
  "T_h",
  "f_f_j",
  "f_f_t",
  "f_f_h",
  "f_f_b",
  "f_f_k",
  "f_j",
  "f_t",
  "f_h",
  "f_b",
  "f_k",
  "c_t",
  "s_t",
  "t_t",
  "c_h",
  "c_k",
];
/** Those that Unicode has a character for, under names that PDFium does not know: only where the font has no other one. */
const knownLigatures = ["f_i", "f_l", "f_f", "f_f_i", "f_f_l"];

/**
 * A function that gives the letters of a glyph for which the file names no character, so that PDFium takes its code for one
 * (`+e` for `The`), where its font names one ligature that PDFium does not know, or says by a code of 3B2 which sign it is.
 */
export function createLigatureReader({
  pdfium,
  pointer,
}: TextPage): (index: number, textObject: number, code: number) => string | undefined {
  const { raw } = pdfium;
  const fonts = new Map<number, NamedGlyphs>();

  return (index, textObject, code) => {
    if (raw._FPDFText_HasUnicodeMapError(pointer, index) !== 1) return undefined;
    const font = raw._FPDFTextObj_GetFont(textObject);
    let glyphs = fonts.get(font);
    if (glyphs === undefined) {
      const names = readNames(font);
      fonts.set(font, (glyphs = { signs: readNamedSigns(names), byShape: new Map(), ligature: ligatureOf(names) }));
    }
    return signOf(glyphs, index, code) ?? glyphs.ligature;
  };

  function signOf({ signs, byShape }: NamedGlyphs, index: number, code: number): string | undefined {
    const sign = signs.byCode.get(code);
    if (sign !== undefined) return sign === "" ? undefined : sign;
    if (signs.symbols.length === 0) return undefined;
    if (!byShape.has(code)) byShape.set(code, signOfShape(signs.symbols, shapeOf(index)));
    return byShape.get(code);
  }

  // The sides of its ink, in ems.
  function shapeOf(index: number): { width: number; height: number; middle: number } {
    const at = pdfium.scratch;
    raw._FPDFText_GetMatrix(pointer, index, at);
    const em = Math.hypot(pdfium.float(2), pdfium.float(3)) * Math.abs(raw._FPDFText_GetFontSize(pointer, index)) || 1;
    raw._FPDFText_GetCharBox(pointer, index, at, at + 8, at + 16, at + 24);
    raw._FPDFText_GetCharOrigin(pointer, index, at + 32, at + 40);
    const double = (place: number) => pdfium.doubles[(at >> 3) + place] ?? 0;
    const [left, right, bottom, top, baseline] = [double(0), double(1), double(2), double(3), double(5)];
    return { width: (right - left) / em, height: (top - bottom) / em, middle: ((top + bottom) / 2 - baseline) / em };
  }

  function readNames(font: number): Buffer {
    const cell = pdfium.cell(0);
    if (font === 0 || raw._FPDFFont_GetFontData(font, 0, 0, cell) === 0) return Buffer.alloc(0);
    const size = pdfium.int(0);
    const buffer = size > 0 && size <= maxFontBytes ? pdfium.allocate(new Uint8Array(size)) : 0;
    if (buffer === 0) return Buffer.alloc(0);
    const isRead = raw._FPDFFont_GetFontData(font, buffer, size, cell) !== 0;
    const end = buffer + Math.min(size, namesWithinBytes);
    const bytes = isRead ? Buffer.from(pdfium.bytes.subarray(buffer, end)) : Buffer.alloc(0);
    pdfium.release(buffer);
    return bytes;
  }
}

interface NamedGlyphs {
  readonly signs: NamedSigns;
  /** Signs that were told by their shapes, by code. */
  readonly byShape: Map<number, string | undefined>;
  readonly ligature: string | undefined;
}

/** The letters of the one ligature that a font program names and PDFium does not know. */
export function ligatureOf(names: Buffer): string | undefined {
  const without = ligatureNames.filter((name) => holdsName(names, name));
  const found = without.length > 0 ? without : knownLigatures.filter((name) => holdsName(names, name));
  const [name, ...others] = found.filter((short) => !found.some((long) => long !== short && long.includes(short)));
  return name === undefined || others.length > 0 ? undefined : name.replaceAll("_", "");
}

// Names stand among other names; three bytes by chance among any.
function holdsName(names: Buffer, name: string): boolean {
  const at = names.indexOf(name, 0, "latin1");
  return at > 0 && isPrintable(names[at - 1]) && isPrintable(names[at + name.length]);
}

function isPrintable(byte = 0): boolean {
  return byte >= 0x20 && byte < 0x7f;
}
