import type { Glyph } from "../page-content.ts";
import { isRightToLeft } from "./bidi.ts";

/** How many glyphs before and after its place a vowel sign is put on the letter that it stands over. */
const reach = 4;

/** Puts letters of ligatures and vowel signs of right-to-left scripts in the order in which they are written. */
export function settleRightToLeft(glyphs: readonly Glyph[]): readonly Glyph[] {
  return glyphs.some(({ text }) => isRightToLeft(text)) ? placeMarks(orderLigatures(glyphs)) : glyphs;
}

/*
 * PDFium turns the characters of a right-to-left line round one by one, and with them those that the font gives for one
 * glyph. Lam-alef, which every Arabic font has, tells whether it did: no glyph is an alef joined to a lam after it.
 */
function orderLigatures(glyphs: readonly Glyph[]): Glyph[] {
  const ligatures = findLigatures(glyphs);
  const turnedFonts = new Set<string>();
  for (const { from, to } of ligatures) {
    const [first, second] = [glyphs[from] as Glyph, glyphs[to - 1] as Glyph];
    if (to - from === 2 && /[\u0622\u0623\u0625\u0627\u0671]/.test(first.text) && second.text === "\u0644")
      turnedFonts.add(first.style.fontName);
  }
  const result = [...glyphs];
  for (const { from, to } of ligatures) {
    const first = glyphs[from] as Glyph;
    if (!turnedFonts.has(first.style.fontName)) continue;
    for (let at = from; at < to; at++) {
      const glyph = glyphs[to - 1 - (at - from)] as Glyph;
      result[at] = { ...glyph, isAfterSpace: at === from && first.isAfterSpace };
    }
  }
  return result;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

// Successive letters with the box of one glyph.
function findLigatures(glyphs: readonly Glyph[]): Range[] {
  const ranges: Range[] = [];
  for (let from = 0; from < glyphs.length;) {
    const first = glyphs[from] as Glyph;
    let to = from + 1;
    while (to < glyphs.length && hasSameBox(first, glyphs[to] as Glyph)) to++;
    if (to > from + 1 && glyphs.slice(from, to).every(({ text }) => isRightToLeft(text))) ranges.push({ from, to });
    from = to;
  }
  return ranges;
}

function hasSameBox(a: Glyph, b: Glyph): boolean {
  return a.left === b.left && a.right === b.right && a.baseline === b.baseline && a.right > a.left;
}

const mark = /^\p{M}+$/u;

// A vowel sign is drawn before or after its letter, and PDFium takes the step back to it for a space.
function placeMarks(glyphs: readonly Glyph[]): Glyph[] {
  const result: Glyph[] = [];
  const later = new Map<Glyph, Glyph[]>();
  for (const [index, glyph] of glyphs.entries()) {
    if (!isRightToLeft(glyph.text) || !mark.test(glyph.text)) {
      result.push(glyph);
      for (const sign of later.get(glyph) ?? []) result.push(sign);
      continue;
    }
    const letter = letterUnder(glyph, glyphs, index);
    const sign = { ...glyph, isAfterSpace: false, ...(letter !== undefined && placeOn(letter)) };
    const at = letter === undefined ? -1 : result.lastIndexOf(letter);
    if (letter === undefined) result.push(glyph);
    else if (at >= 0) result.splice(endOfSigns(result, at), 0, sign);
    else later.set(letter, [...(later.get(letter) ?? []), sign]);
  }
  return result;
}

function letterUnder(sign: Glyph, glyphs: readonly Glyph[], index: number): Glyph | undefined {
  const centre = (sign.left + sign.right) / 2;
  let nearest: Glyph | undefined;
  let least = sign.style.size * 0.3;
  for (let at = Math.max(0, index - reach); at <= Math.min(glyphs.length - 1, index + reach); at++) {
    const glyph = glyphs[at] as Glyph;
    if (mark.test(glyph.text) || !isRightToLeft(glyph.text)) continue;
    if (Math.abs(glyph.baseline - sign.baseline) > sign.style.size) continue;
    const distance = Math.max(glyph.left - centre, centre - glyph.right, 0) + (at < index ? 0 : 0.01);
    if (distance < least) [nearest, least] = [glyph, distance];
  }
  return nearest;
}

function placeOn({ left, right, baseline, style }: Glyph): Partial<Glyph> {
  return { left, right, baseline, style };
}

function endOfSigns(glyphs: readonly Glyph[], at: number): number {
  let end = at + 1;
  while (end < glyphs.length && mark.test((glyphs[end] as Glyph).text)) end++;
  return end;
}
