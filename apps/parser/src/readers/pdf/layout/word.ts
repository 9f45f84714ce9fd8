import type { Box, Glyph, TextStyle } from "../page-content.ts";
import { isRightToLeft, wordGap } from "./bidi.ts";

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
  /** A space is drawn, or found by its width, before it. */
  readonly isAfterSpace?: true;
  /** Its letters run against its frame: Hebrew on an upright page, Latin on a page mirrored for a right-to-left script. */
  readonly isBackward?: true;
}

/** Share of the em that the letters of text fonts rise above the baseline, and fall below it. */
export const ascent = 0.74;
export const descent = 0.22;

/** Overlaps deeper than this share of the em are a return to the left, not kerning. */
const backstep = 0.6;
/** Baselines further apart than this share of the em are scripts or other lines. */
const baselineSlack = 0.08;
/** Copies of a word up to this far apart, in points, are one word printed over. */
const overprintSlack = 0.8;

/** Cuts glyphs, in the order they are drawn, into words; in a mirrored frame the letters of right-to-left scripts run to the right. */
export function findWords(glyphs: readonly Glyph[], isMirrored = false): Word[] {
  const words: Word[] = [];
  let current: Glyph[] = [];
  let isGlued = false;
  let previous: Glyph | undefined;
  for (const glyph of glyphs) {
    if (previous !== undefined) {
      const tie = tieBetween(previous, glyph, isMirrored);
      if (tie !== "same") {
        words.push(toWord(current, { isGlued, order: words.length, isMirrored }));
        current = [];
        isGlued = tie === "glued";
      }
    }
    current.push(glyph);
    previous = glyph;
  }
  if (current.length > 0) words.push(toWord(current, { isGlued, order: words.length, isMirrored }));
  return dropOverprints(words);
}

// Words drawn again at the same place, for weight or shadow.
function dropOverprints(words: readonly Word[]): Word[] {
  const seen = new Map<number, string | Set<string>>();
  return words.filter(({ text, left, baseline }) => {
    // One number for both, as no page is so wide or high; a text made of them would cost more than the rest of the word.
    const place = Math.round(left / overprintSlack) * 2 ** 20 + Math.round(baseline / overprintSlack);
    const known = seen.get(place);
    if (known === undefined) seen.set(place, text);
    else if (known === text) return false;
    else if (typeof known === "string") seen.set(place, new Set([known, text]));
    else if (known.has(text)) return false;
    else known.add(text);
    return true;
  });
}

function tieBetween(previous: Glyph, glyph: Glyph, isMirrored: boolean): "same" | "glued" | "apart" {
  if (glyph.isAfterSpace) return "apart";
  // The letters of a ligature all have the box of the one glyph.
  if (glyph.left === previous.left && glyph.right === previous.right && glyph.style === previous.style) return "same";
  const em = Math.max(previous.style.size, glyph.style.size);
  if (glyph.style.turn === slanted) return isBeside(previous, glyph, em) ? "same" : "apart";
  if (isApart(previous, glyph, { em, isMirrored })) return "apart";
  const rise = Math.abs(glyph.baseline - previous.baseline);
  if (glyph.style === previous.style && rise <= em * baselineSlack) return "same";
  return rise < em * 0.8 ? "glued" : "apart";
}

interface Frame {
  readonly em: number;
  readonly isMirrored: boolean;
}

function isApart(previous: Glyph, glyph: Glyph, { em, isMirrored }: Frame): boolean {
  // In scripts written to the left the next glyph stands left of the one before it.
  const gap = glyph.left >= previous.left ? glyph.left - previous.right : previous.left - glyph.right;
  const isBack = glyph.left < previous.left - em * 0.1 && isRightToLeft(glyph.text) === isMirrored;
  return gap > em * wordGap || gap < -em * backstep || isBack;
}

/** Text at any angle has no upright frame: only the distance between its letters tells words apart. */
const slanted = 4;

function isBeside(previous: Glyph, glyph: Glyph, em: number): boolean {
  const x = (glyph.left + glyph.right - previous.left - previous.right) / 2;
  return glyph.style === previous.style && Math.hypot(x, glyph.baseline - previous.baseline) < em * 1.1;
}

function toWord(
  glyphs: readonly Glyph[],
  { isGlued, order, isMirrored }: Pick<Word, "isGlued" | "order"> & Pick<Frame, "isMirrored">,
): Word {
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
  const bottom = baseline + style.size * descent;
  // A line of Arabic is justified by drawing its letters out.
  if (text.includes(kashida)) text = text.replaceAll(/(?<=\p{L})\u0640+(?=[\p{L}\p{M}\u0640])/gu, "");
  if (isMirrored && glyphs.length > 1 && !/\p{L}/u.test(text)) text = orderNumber(glyphs);
  const word = { text, left, right, top, bottom, baseline, style, isGlued, order };
  const spaced: Word = first.isAfterSpace && isMirrored ? { ...word, isAfterSpace: true } : word;
  return runsBackward(text, isMirrored) ? { ...spaced, isBackward: true } : spaced;
}

/** A number with its signs, from the right. */
const turnedNumber = /[%٪$€£¥°+−-]*\p{Nd}(?:[.,:/٫٬-]?\p{Nd})*[%٪$€£¥°+−-]*/gu;

// Numbers run to the right within text that runs to the left; the signs around them run with the text.
function orderNumber(glyphs: readonly Glyph[]): string {
  const text = glyphs
    .toSorted((a, b) => a.left - b.left)
    .map((glyph) => glyph.text)
    .join("");
  return text.replaceAll(turnedNumber, (number) => Array.from(number).toReversed().join(""));
}

const kashida = "\u0640";

function runsBackward(text: string, isMirrored: boolean): boolean {
  return isMirrored ? !isRightToLeft(text) && /\p{L}/u.test(text) : isRightToLeft(text);
}
