import type { Background, TextStyle, Turn } from "../page-content.ts";
import { type FontFace, readFontFace } from "./font-face.ts";
import { createTagFinder, styleOfTag } from "./find-tag.ts";
import type { TextPage } from "./read-glyphs.ts";

export interface DrawnStyle {
  readonly style: TextStyle;
  /** Invisible, white on white, or too small to be seen. */
  readonly isHidden: boolean;
}

/** FPDF_TEXTRENDERMODE_INVISIBLE, fpdf_edit.h. */
const invisible = 3;
/** Below this em no printer and no eye tells letters apart. */
const minSizePoints = 1;

/** A function that tells how the text object of a glyph is drawn. Fonts and equal styles are shared within the page. */
export function createStyleReader(page: TextPage): (index: number, textObject: number) => DrawnStyle {
  const faces = new Map<number, FontFace>();
  const styles = new Map<string, TextStyle>();
  const tagOf = createTagFinder(page);
  const { pdfium, pointer } = page;
  const { raw } = pdfium;

  return (index, textObject) => {
    const font = raw._FPDFTextObj_GetFont(textObject);
    let face = faces.get(font);
    if (face === undefined) faces.set(font, (face = readFontFace(page, index, font)));
    const { size, turn } = readScale(page, index);
    const { tag, key: tagKey } = tagOf(textObject);
    const isInvisible = raw._FPDFTextObj_GetTextRenderMode(textObject) === invisible;
    const key = `${font} ${size} ${turn} ${tagKey} ${isInvisible}`;
    let style = styles.get(key);
    if (style === undefined) {
      style = {
        ...face,
        size,
        turn,
        ...styleOfTag(tag),
        ...(isInvisible && { isInvisible }),
      };
      styles.set(key, style);
    }
    return { style, isHidden: (isInvisible && !page.isScan) || size < minSizePoints || isWhiteOnWhite(page, index) };
  };

  function readScale({ frame }: TextPage, index: number): { size: number; turn: Turn } {
    if (raw._FPDFText_GetMatrix(pointer, index, pdfium.scratch) === 0) return { size: 10, turn: 0 };
    const [a, b, c, d] = [pdfium.float(0), pdfium.float(1), pdfium.float(2), pdfium.float(3)];
    const [pa, pb, pc, pd] = frame.matrix;
    const fontSize = raw._FPDFText_GetFontSize(pointer, index);
    const size = Math.abs(fontSize) * Math.hypot(c, d);
    // A negative font size turns the letters upside down, and the direction of writing with them.
    const sign = Math.sign(fontSize);
    return { size: Math.round(size * 10) / 10, turn: turnOf(sign * (a * pa + b * pc), sign * (a * pb + b * pd)) };
  }
}

/** The quarter turn of a direction of writing in shown space (y downwards), within 3 degrees. */
export function turnOf(x: number, y: number): Turn {
  const length = Math.hypot(x, y);
  if (length === 0 || x >= length * 0.9986) return 0;
  if (y >= length * 0.9986) return 1;
  if (-x >= length * 0.9986) return 2;
  return -y >= length * 0.9986 ? 3 : 4;
}

const nearlyWhite = 250;

function isWhiteOnWhite({ pdfium, pointer, frame, backgrounds }: TextPage, index: number): boolean {
  const { raw } = pdfium;
  if (raw._FPDFText_GetFillColor(pointer, index, pdfium.cell(0), pdfium.cell(1), pdfium.cell(2), pdfium.cell(3)) === 0)
    return false;
  if (pdfium.int(3) === 0) return true;
  if (pdfium.int(0) < nearlyWhite || pdfium.int(1) < nearlyWhite || pdfium.int(2) < nearlyWhite) return false;
  raw._FPDFText_GetLooseCharBox(pointer, index, pdfium.scratch);
  const [a, b, c, d, e, f] = frame.matrix;
  const x = (pdfium.float(0) + pdfium.float(2)) / 2;
  const y = (pdfium.float(1) + pdfium.float(3)) / 2;
  return !isOnDark(backgrounds, a * x + c * y + e, b * x + d * y + f);
}

function isOnDark(backgrounds: readonly Background[], x: number, y: number): boolean {
  return backgrounds.some(
    (area) => area.isDark && x >= area.left && x <= area.right && y >= area.top && y <= area.bottom,
  );
}
