import type { OcrLine, OcrWord } from "../../../ocr/parse-hocr.ts";
import type { PictureText } from "../../../ocr/read-picture.ts";
import { ascent, descent } from "../layout/word.ts";
import type { Glyph, PageContent, TextStyle, Turn } from "../page-content.ts";
import { findBoldLines } from "./bold-lines.ts";
import { evenSizes } from "./even-sizes.ts";
import { mendWords } from "./mend-words.ts";

/** What is known of a page beside the text of its picture. */
type PageParts = Pick<PageContent, "number" | "rules" | "backgrounds" | "images" | "links">;

const pointsPerInch = 72;

/** The text of a picture as the glyphs of a page, so that it is laid out like any other. */
export function toPageContent(text: PictureText, parts: PageParts): PageContent {
  const points = pointsPerInch / text.dpi;
  const isTurned = text.turn % 2 === 1;
  const width = text.width * points;
  const height = text.height * points;
  return {
    ...parts,
    // As it is shown; the glyphs stand in the frame of the page set upright.
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    glyphs: toGlyphs(text, points),
    hiddenGlyphCount: 0,
    isCut: false,
  };
}

function toGlyphs({ lines, turn }: PictureText, points: number): Glyph[] {
  const sizes = evenSizes(lines.map((line) => ({ size: line.size, letterCount: countLetters(line) })));
  const isBold = findBoldLines(lines, sizes);
  const styles = new Map<string, TextStyle>();
  return lines.flatMap((line, index) => {
    const size = Math.round(((sizes[index] as number) * points * 10) / (ascent + descent)) / 10;
    const key = `${size} ${isBold[index]}`;
    let style = styles.get(key);
    if (style === undefined) styles.set(key, (style = toStyle(size, isBold[index] === true, turn)));
    return lineGlyphs(line, style, points);
  });
}

function toStyle(size: number, isBold: boolean, turn: PictureText["turn"]): TextStyle {
  // What must be turned clockwise to stand upright runs the other way on the page.
  return { fontName: "", size, isBold, isItalic: false, isMonospaced: false, turn: ((4 - turn) % 4) as Turn };
}

function countLetters({ words }: OcrLine): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function lineGlyphs({ words, baseline }: OcrLine, style: TextStyle, points: number): Glyph[] {
  const mended = mendWords(words, style.size / points);
  return mended.flatMap((word) => wordGlyphs(word, { baseline: baseline * points, style }, points));
}

// Only the ends of a word are known, and only they matter.
function wordGlyphs({ text, left, right }: OcrWord, line: Pick<Glyph, "baseline" | "style">, points: number): Glyph[] {
  const characters = Array.from(text);
  const width = ((right - left) * points) / characters.length;
  return characters.map((character, index) => ({
    ...line,
    text: character,
    left: left * points + index * width,
    right: left * points + (index + 1) * width,
    isAfterSpace: index === 0,
  }));
}
