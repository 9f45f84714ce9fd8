import type { Glyph, TextStyle } from "../page-content.ts";

/** Fewer characters below one another are a column of a table. */
const minRun = 4;
/** Steps from one character down to the next, in ems. */
const minStep = 0.45;
const maxStep = 1.8;
/** Where the cell of a vertical character begins above its origin: the default of CIDFonts (ISO 32000-1, 9.7.4.3, `DW2`). */
const originDrop = 0.88;
/** The centre of a line above its baseline, in ems. */
const centreRise = 0.26;

/**
 * Characters of Chinese and Japanese written downwards, as if the page were turned so that their columns are lines: then
 * columns follow from right to left and all rules for lines hold. Letters turned by the typesetter lie so already.
 */
export function setVertical(glyphs: readonly Glyph[], pageWidth: number): readonly Glyph[] {
  if (!glyphs.some(({ text }) => isIdeographic(text))) return glyphs;
  const styles = new Map<TextStyle, TextStyle>();
  const result: Glyph[] = [];
  for (let from = 0; from < glyphs.length;) {
    let to = from + 1;
    while (to < glyphs.length && isBelow(glyphs[to - 1] as Glyph, glyphs[to] as Glyph)) to++;
    for (let at = from; at < to; at++) {
      const glyph = glyphs[at] as Glyph;
      result.push(to - from < minRun ? glyph : turn(glyph, pageWidth, styles));
    }
    from = to;
  }
  return joinRests(result, pageWidth, styles);
}

// The last characters of a column may be too few to tell; they stand in the column of those before them.
function joinRests(glyphs: readonly Glyph[], pageWidth: number, styles: Map<TextStyle, TextStyle>): readonly Glyph[] {
  const turnedCount = glyphs.filter(({ style }) => style.turn === 1).length;
  if (turnedCount < glyphs.length / 2) return glyphs;
  return glyphs.map((glyph) =>
    glyph.style.turn === 0 && isIdeographic(glyph.text) ? turn(glyph, pageWidth, styles) : glyph,
  );
}

function isBelow(above: Glyph, glyph: Glyph): boolean {
  const em = glyph.style.size;
  const step = glyph.baseline - above.baseline;
  return (
    glyph.style === above.style &&
    glyph.style.turn === 0 &&
    step > em * minStep &&
    step < em * maxStep &&
    Math.abs(glyph.right - above.right) < em * 0.3 &&
    isIdeographic(glyph.text) &&
    isIdeographic(above.text)
  );
}

function turn(glyph: Glyph, pageWidth: number, styles: Map<TextStyle, TextStyle>): Glyph {
  let style = styles.get(glyph.style);
  if (style === undefined) styles.set(glyph.style, (style = { ...glyph.style, turn: 1 }));
  const { size } = style;
  const left = glyph.baseline - size * originDrop;
  const centre = pageWidth - (glyph.right - size / 2);
  return { ...glyph, style, left, right: left + size, baseline: centre + size * centreRise };
}

const ideographic =
  /^[\u2014\u2015\u2025\u2026\u2E80-\u9FFF\uF900-\uFAFF\uFE10-\uFE4F\uFF00-\uFF60\u{20000}-\u{3FFFF}]/u;

/** Chinese and Japanese characters with their signs, those for vertical writing among them. */
function isIdeographic(text: string): boolean {
  return text.charCodeAt(0) >= 0x2014 && ideographic.test(text);
}
