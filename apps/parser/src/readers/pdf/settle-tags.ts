import type { Glyph, TextStyle, TextTag } from "./page-content.ts";

/** Share of the letters of a page, running heads left out, that must stand in elements for its tags to say how the page is made up. */
const minTagged = 0.8;
/** Ends of lines from which on tags are judged by them. */
const minWraps = 12;
/** An element that holds this share of a page of so many lines says nothing. */
const maxWhole = 0.85;
const manyLines = 30;
/** Share of the ends of lines at which an element ends in the middle of a sentence. */
const maxBroken = 0.4;

/**
 * The glyphs without the tags that do not say how the page is made up: they cover too little of it, put all of it into one
 * element, or every line into an element of its own. Levels of headings stay, which are judged with those of other pages.
 */
export function settleTags(glyphs: readonly Glyph[]): readonly Glyph[] {
  if (!glyphs.some(({ style }) => style.tag !== undefined || style.isArtifact === true)) return glyphs;
  return areSound(glyphs) ? glyphs : glyphs.map(withoutTag());
}

function areSound(glyphs: readonly Glyph[]): boolean {
  const sizes = new Map<TextTag, number>();
  let artifacts = 0;
  for (const { style } of glyphs) {
    if (style.isArtifact === true) artifacts++;
    if (style.tag !== undefined) sizes.set(style.tag, (sizes.get(style.tag) ?? 0) + 1);
  }
  const tagged = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (tagged === 0 || tagged < (glyphs.length - artifacts) * minTagged) return false;
  const { all, broken } = countWraps(glyphs);
  if (all > manyLines && Math.max(...sizes.values()) > glyphs.length * maxWhole) return false;
  return all < minWraps || broken <= all * maxBroken;
}

// Ends of lines, and those where an element ends in the middle of a sentence.
function countWraps(glyphs: readonly Glyph[]): { all: number; broken: number } {
  const wraps = { all: 0, broken: 0 };
  let before: Glyph | undefined;
  for (const glyph of glyphs) {
    if (before !== undefined && isWrap(before, glyph)) {
      wraps.all++;
      if (isBroken(before, glyph)) wraps.broken++;
    }
    before = glyph;
  }
  return wraps;
}

function isBroken(before: Glyph, { text, style: { tag } }: Glyph): boolean {
  return before.style.tag !== tag && tag?.cell === undefined && /\p{Ll}/u.test(text) && /[\p{L},-]/u.test(before.text);
}

// The first letter of a line after the last one of the line above it.
function isWrap(before: Glyph, glyph: Glyph): boolean {
  const { size, turn } = glyph.style;
  const step = glyph.baseline - before.baseline;
  return before.style.turn === turn && glyph.left < before.left && step > size * 0.8 && step < size * 2.5;
}

// Equal styles are one object, by which words are told apart.
function withoutTag(): (glyph: Glyph) => Glyph {
  const known = new Map<TextStyle, TextStyle>();
  const equal = new Map<string, TextStyle>();
  return (glyph) => {
    let style = known.get(glyph.style);
    if (style === undefined) {
      const { tag: _tag, isArtifact: _isArtifact, ...rest } = glyph.style;
      const key = JSON.stringify(rest);
      style = equal.get(key) ?? rest;
      equal.set(key, style);
      known.set(glyph.style, style);
    }
    return { ...glyph, style };
  };
}
