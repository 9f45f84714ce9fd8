import type { Glyph, TextStyle } from "../page-content.ts";
import { type Line, toLine } from "./line.ts";
import type { PageLines } from "./page-lines.ts";
import type { Passage } from "./passage.ts";
import { ascent, descent, type Word } from "./word.ts";

/** Hand-made geometry for tests: every letter is half an em wide, and a space as well. */
export const plainStyle: TextStyle = {
  fontName: "Serif",
  size: 10,
  isBold: false,
  isItalic: false,
  isMonospaced: false,
  turn: 0,
};

export interface Place {
  readonly left?: number;
  readonly baseline?: number;
  readonly style?: Partial<TextStyle>;
}

export function glyphsAt(text: string, { left = 0, baseline = 100, style = {} }: Place = {}): Glyph[] {
  const full = sharedStyle(style);
  const glyphs: Glyph[] = [];
  let x = left;
  let isAfterSpace = false;
  for (const letter of text) {
    const right = x + full.size / 2;
    if (letter !== " ") glyphs.push({ text: letter, left: x, right, baseline, isAfterSpace, style: full });
    isAfterSpace = letter === " ";
    x = right;
  }
  return glyphs;
}

const styles = new Map<string, TextStyle>();

/** Equal styles are one object, as on a page that is read. */
function sharedStyle(style: Partial<TextStyle>): TextStyle {
  const full = { ...plainStyle, ...style };
  const key = JSON.stringify(full);
  const known = styles.get(key) ?? full;
  styles.set(key, known);
  return known;
}

export function wordAt(text: string, { left = 0, baseline = 100, style = {} }: Place = {}): Word {
  const full = sharedStyle(style);
  const right = left + (text.length * full.size) / 2;
  const top = baseline - full.size * ascent;
  return {
    text,
    left,
    right,
    top,
    bottom: baseline + full.size * descent,
    baseline,
    style: full,
    isGlued: false,
    order: baseline * 1000 + left,
  };
}

/** A line of words parted by single spaces. */
export function lineAt(text: string, place: Place = {}): Line {
  const size = place.style?.size ?? plainStyle.size;
  let left = place.left ?? 0;
  const words = text.split(" ").map((word) => {
    const made = wordAt(word, { ...place, left });
    left = made.right + size / 2;
    return made;
  });
  return toLine(words);
}

/** Lines of the same place below one another, 12 points apart. */
export function linesAt(texts: readonly string[], { left = 0, baseline = 100, style = {} }: Place = {}): Line[] {
  return texts.map((text, index) => lineAt(text, { left, baseline: baseline + index * 12, style }));
}

export function textOf(line: Line): string {
  return line.words.map(({ text, isGlued }, index) => (index === 0 || isGlued ? text : ` ${text}`)).join("");
}

export function pageOf(lines: readonly Line[], rest: Partial<PageLines> = {}): PageLines {
  const letterCount = lines.reduce((sum, line) => sum + textOf(line).replace(/[^\p{L}\p{N}]/gu, "").length, 0);
  return {
    number: 1,
    width: 600,
    height: 800,
    turn: 0,
    isMirrored: false,
    lines,
    turnedLines: [],
    rules: [],
    shades: [],
    pictures: [],
    letterCount,
    ...rest,
  };
}

export function passageOf(
  text: string,
  rest: Partial<Omit<Passage, "look">> & { look?: Partial<Passage["look"]> } = {},
): Passage {
  const look = {
    fontName: "Serif",
    size: 10,
    isBold: false,
    isItalic: false,
    isMonospaced: false,
    isCapitals: false,
    ...rest.look,
  };
  return {
    kind: "text",
    page: 1,
    inlines: [text],
    text,
    lineCount: Math.ceil(text.length / 60),
    left: 50,
    top: 100,
    right: 300,
    bottom: 120,
    ...rest,
    look,
  };
}
