import type { Glyph } from "./page-content.ts";

/** Stands for a glyph whose character the file does not tell. */
export const unknownLetter = "\uFFFD";

/** Glyph 3 is the space in the order of the Macintosh, which TrueType fonts keep to (OpenType, table `post`, format 1). */
const spaceGlyph = 3;
const spaceCode = 0x20;
/** From here on the order is that of the upper half of Mac Roman, up to the glyph that breaks it. */
const firstHighGlyph = 98;
const lastHighGlyph = 172;
const macRoman = new TextDecoder("macintosh");

/** Share of letters, digits and common signs in what the glyphs read; other fonts number their glyphs as they come. */
const minUsual = 0.92;
/** Share of letters and digits; fonts of symbols have next to none. */
const minWords = 0.4;
/** Letters of a font from which on their vowels are counted. */
const minLetters = 20;
const vowelShare = { min: 0.2, max: 0.7 };
/** Share of glyphs behind those of small letters, where other texts have most of theirs: letters with accents. */
const maxBeyond = 0.1;

/**
 * Gives glyphs their letters where a font has no table of them, so that PDFium takes the number of the glyph for the character:
 * `:DYHOHQJWK` for `Wavelength`. Such a font shows itself by numbers that are control characters, which no text has, and by
 * words that make sense once its glyphs are read in the usual order. Control characters that stay stand for unknown letters.
 */
export function restoreLetters(glyphs: readonly Glyph[]): readonly Glyph[] {
  if (!glyphs.some(({ text }) => isControl(text.charCodeAt(0)))) return glyphs;
  const numbered = findNumberedFonts(glyphs);
  const result: Glyph[] = [];
  let isAfterSpace = false;
  for (const glyph of glyphs) {
    const text = textOf(glyph, numbered);
    isAfterSpace ||= glyph.isAfterSpace;
    if (text === " ") isAfterSpace = true;
    // Control characters of no width draw nothing.
    if (text === " " || (text === unknownLetter && glyph.left === glyph.right)) continue;
    const isSame = text === glyph.text && isAfterSpace === glyph.isAfterSpace;
    result.push(isSame ? glyph : { ...glyph, text, isAfterSpace });
    isAfterSpace = false;
  }
  return result;
}

function textOf({ text, style }: Glyph, numberedFonts: ReadonlySet<string>): string {
  const code = text.charCodeAt(0);
  if (numberedFonts.has(style.fontName)) return letterOf(code);
  return isControl(code) ? unknownLetter : text;
}

function isControl(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

function findNumberedFonts(glyphs: readonly Glyph[]): ReadonlySet<string> {
  const fonts = new Map<string, number[]>();
  for (const { text, style } of glyphs) {
    const codes = fonts.get(style.fontName);
    if (codes === undefined) fonts.set(style.fontName, [text.charCodeAt(0)]);
    else codes.push(text.charCodeAt(0));
  }
  return new Set([...fonts].filter(([, codes]) => isNumbered(codes)).map(([name]) => name));
}

function isNumbered(codes: readonly number[]): boolean {
  const low = codes.filter((code) => code < 0x20).length;
  const beyond = codes.filter((code) => code > "z".charCodeAt(0) - spaceCode + spaceGlyph).length;
  if (low === 0 || beyond > codes.length * maxBeyond) return false;
  const texts = codes.map(letterOf);
  if (texts.includes(unknownLetter)) return false;
  const usual = texts.filter((text) => /[\p{L}\p{N} .,:;()/’'-]/u.test(text)).length;
  const words = texts.filter((text) => /[\p{L}\p{N}]/u.test(text)).length;
  if (usual < texts.length * minUsual || words < Math.max(2, texts.length * minWords)) return false;
  const letters = texts.filter((text) => /[a-z]/i.test(text));
  if (letters.length < minLetters) return true;
  const vowels = letters.filter((text) => /[aeiouy]/i.test(text)).length / letters.length;
  return vowels >= vowelShare.min && vowels <= vowelShare.max;
}

function letterOf(glyphNumber: number): string {
  if (glyphNumber >= spaceGlyph && glyphNumber < firstHighGlyph)
    return String.fromCharCode(glyphNumber - spaceGlyph + spaceCode);
  if (glyphNumber < firstHighGlyph || glyphNumber > lastHighGlyph) return unknownLetter;
  return macRoman.decode(Uint8Array.of(0x80 + glyphNumber - firstHighGlyph));
}
