import type { Box, Glyph, TextStyle } from "../page-content.ts";

/** Glyphs of one style that stand close together on one line: a word, or the part of one that is drawn alike. */
export interface Word extends Box {
  readonly text: string;
  readonly baseline: number;
  readonly style: TextStyle;
  /** No space separates it from the word before it. */
  readonly isGlued: boolean;
  /** Place among the words of the page in the order they are drawn. */
  readonly order: number;
  readonly link?: string;
}

/** Share of the em that the letters of text fonts rise above the baseline, and fall below it. */
export const ascent = 0.74;
export const descent = 0.22;

/** A gap wider than this share of the em parts words; justified and kerned text stays on either side of it. */
const wordGap = 0.16;
/** Overlaps deeper than this share of the em are a return to the left, not kerning. */
const backstep = 0.6;
/** Baselines further apart than this share of the em are scripts or other lines. */
const baselineSlack = 0.08;
/** Copies of a word up to this far apart, in points, are one word printed over. */
const overprintSlack = 0.8;

/** Cuts glyphs, in the order they are drawn, into words. */
export function findWords(glyphs: readonly Glyph[]): Word[] {
  const words: Word[] = [];
  let current: Glyph[] = [];
  let isGlued = false;
  let previous: Glyph | undefined;
  for (const glyph of glyphs) {
    if (previous !== undefined) {
      const tie = tieBetween(previous, glyph);
      if (tie !== "same") {
        words.push(toWord(current, isGlued, words.length));
        current = [];
        isGlued = tie === "glued";
      }
    }
    current.push(glyph);
    previous = glyph;
  }
  if (current.length > 0) words.push(toWord(current, isGlued, words.length));
  return dropOverprints(words);
}

// Words drawn again at the same place, for weight or shadow.
function dropOverprints(words: readonly Word[]): Word[] {
  const seen = new Set<string>();
  return words.filter((word) => {
    const size = seen.size;
    seen.add(`${word.text} ${Math.round(word.left / overprintSlack)} ${Math.round(word.baseline / overprintSlack)}`);
    return seen.size > size;
  });
}

function tieBetween(previous: Glyph, glyph: Glyph): "same" | "glued" | "apart" {
  if (glyph.isAfterSpace) return "apart";
  // The letters of a ligature all have the box of the one glyph.
  if (glyph.left === previous.left && glyph.right === previous.right && glyph.style === previous.style) return "same";
  const em = Math.max(previous.style.size, glyph.style.size);
  if (glyph.style.turn === slanted) return isBeside(previous, glyph, em) ? "same" : "apart";
  if (isApart(previous, glyph, em)) return "apart";
  const rise = Math.abs(glyph.baseline - previous.baseline);
  if (glyph.style === previous.style && rise <= em * baselineSlack) return "same";
  return rise < em * 0.8 ? "glued" : "apart";
}

function isApart(previous: Glyph, glyph: Glyph, em: number): boolean {
  // In scripts written to the left the next glyph stands left of the one before it.
  const gap = glyph.left >= previous.left ? glyph.left - previous.right : previous.left - glyph.right;
  const isBack = glyph.left < previous.left - em * 0.1 && !isRightToLeft(glyph.text);
  return gap > em * wordGap || gap < -em * backstep || isBack;
}

/** Text at any angle has no upright frame: only the distance between its letters tells words apart. */
const slanted = 4;

function isBeside(previous: Glyph, glyph: Glyph, em: number): boolean {
  const x = (glyph.left + glyph.right - previous.left - previous.right) / 2;
  return glyph.style === previous.style && Math.hypot(x, glyph.baseline - previous.baseline) < em * 1.1;
}

function toWord(glyphs: readonly Glyph[], isGlued: boolean, order: number): Word {
  const first = glyphs[0] as Glyph;
  let text = "";
  let left = Infinity;
  let right = -Infinity;
  for (const glyph of glyphs) {
    text += glyph.text;
    if (glyph.left < left) left = glyph.left;
    if (glyph.right > right) right = glyph.right;
  }
  const { baseline, style } = first;
  const top = baseline - style.size * ascent;
  return { text, left, right, top, bottom: baseline + style.size * descent, baseline, style, isGlued, order };
}

/** Hebrew, Arabic, Syriac, Thaana, N’Ko and their presentation forms. */
export function isRightToLeft(text: string): boolean {
  // Most text is of scripts below those; a regular expression for each word would show.
  let at = 0;
  while (at < text.length && text.charCodeAt(at) < 0x590) at++;
  return at < text.length && /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/.test(text);
}
