import type { TextStyle } from "../page-content.ts";
import type { TextPage } from "./read-glyphs.ts";

export type FontFace = Pick<TextStyle, "fontName" | "isBold" | "isItalic" | "isMonospaced">;

/** Font descriptor flags, ISO 32000-1 table 123. */
const flag = { fixedPitch: 1, italic: 1 << 6, forceBold: 1 << 18 };

/** Face of the font with which the glyph at `index` is drawn. */
export function readFontFace({ pdfium, pointer }: TextPage, index: number, font: number): FontFace {
  const { raw } = pdfium;
  const flagsCell = pdfium.allocate(new Uint8Array(4));
  const fontName = pdfium.utf8((buffer, size) => raw._FPDFText_GetFontInfo(pointer, index, buffer, size, flagsCell));
  const flags = pdfium.intAt(flagsCell);
  const hasAngle = font !== 0 && raw._FPDFFont_GetItalicAngle(font, flagsCell) !== 0 && pdfium.intAt(flagsCell) !== 0;
  pdfium.release(flagsCell);
  const weight = font === 0 ? 400 : raw._FPDFFont_GetWeight(font);
  return describeFace(fontName, { flags: hasAngle ? flags | flag.italic : flags, weight });
}

const boldName = /bold|black|heavy|demi|(?:[-_.,]|MT)b(?:d|i)?$|CMBX|CMSSBX|SFBX|\+?AdvT?T?\w+\.B\b/i;
const italicName = /italic|oblique|slanted|kursiv|[-_.,](?:b?i|it)$|CMTI|CMMI|CMSL|\.I\b|\.BI\b/i;
/** Abbreviations that only capitals tell from the ends of other names: `MinionProIt`, `MyriadProSmBd`. */
const boldEnd = /[a-z_-](?:Bd|Sb|SmBd|Semibd)(?:It)?$/;
const italicEnd = /[a-z_-](?:Bd|Sb|SmBd|Semibd)?It$/;
const monospacedName = /mono|courier|consol|typewriter|CMTT|SFTT|menlo|fixed|inconsolata|lettergothic|sourcecode/i;

/** What name, flags and weight say of a face; names of embedded subsets carry a tag (`ABCDEF+`) that says nothing. */
export function describeFace(
  fontName: string,
  { flags, weight }: { readonly flags: number; readonly weight: number },
): FontFace {
  const name = fontName.replace(/^[A-Z]{6}\+/, "");
  return {
    fontName: name,
    isBold: boldName.test(name) || boldEnd.test(name) || (flags & flag.forceBold) !== 0 || weight >= 700,
    isItalic: italicName.test(name) || italicEnd.test(name) || (flags & flag.italic) !== 0,
    isMonospaced: monospacedName.test(name) || (flags & flag.fixedPitch) !== 0,
  };
}
