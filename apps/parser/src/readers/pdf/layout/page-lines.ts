import type { Box, Glyph, PageContent, PageFigure, PageLink, Rule, Turn } from "../page-content.ts";
import { type Matrix, transformBox, turnMatrix } from "../pdfium/page-frame.ts";
import { countLetters } from "../count-letters.ts";
import { attachMarks } from "./attach-marks.ts";
import { isRightToLeft } from "./bidi.ts";
import { attachDropCaps } from "./drop-caps.ts";
import { findLines, type Line } from "./line.ts";
import { joinLetterSpacing } from "./letter-spacing.ts";
import { setVertical } from "./set-vertical.ts";
import { settleRightToLeft } from "./settle-right-to-left.ts";
import { findWords, type Word } from "./word.ts";

/** The text of one page as lines, in the frame in which most of it stands upright. */
export interface PageLines {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  /** Quarter turn of the frame against the page as shown. */
  readonly turn: Turn;
  /** Left and right are exchanged, because most of the page is in a script written to the left. */
  readonly isMirrored: boolean;
  readonly lines: readonly Line[];
  /** Lines written in other directions, each in its own frame, in drawn order. */
  readonly turnedLines: readonly Line[];
  readonly rules: readonly Rule[];
  /** Filled areas: what may shade cells. */
  readonly shades: readonly Box[];
  readonly pictures: readonly Box[];
  readonly figures?: readonly PageFigure[];
  /** Letters and digits drawn on the page. */
  readonly letterCount: number;
}

/** Finds words and lines among the glyphs of a page. */
export function findPageLines(page: PageContent): PageLines {
  const byTurn = groupByTurn(setVertical(settleRightToLeft(page.glyphs), page.width));
  const [turn = 0] = [...byTurn.keys()].sort((a, b) => (byTurn.get(b)?.length ?? 0) - (byTurn.get(a)?.length ?? 0));
  const isTurned = turn === 1 || turn === 3;
  const [width, height] = isTurned ? [page.height, page.width] : [page.width, page.height];
  const glyphs = byTurn.get(turn) ?? [];
  const isMirrored = isMostlyRightToLeft(glyphs);
  const matrix = isMirrored ? mirrored(turnMatrix(turn, page), width) : turnMatrix(turn, page);
  const links = page.links.map((link) => ({ ...link, ...transformBox(matrix, link) }));
  const drawn = isMirrored ? glyphs.map((glyph) => mirrorGlyph(glyph, width)) : glyphs;
  const upright = linkWords(findWords(drawn, isMirrored), links);
  const turned = [...byTurn].filter(([other]) => other !== turn).map(([, others]) => findWords(others));
  const words = [...upright, ...turned.flat()];
  return {
    number: page.number,
    width,
    height,
    turn,
    isMirrored,
    lines: linesOf(upright),
    turnedLines: turned.flatMap(linesOf),
    rules: page.rules.map((rule) => turnRule(rule, matrix)),
    shades: page.backgrounds.map((shade) => transformBox(matrix, shade)),
    pictures: page.images.map((picture) => transformBox(matrix, picture)),
    ...(page.figures !== undefined && {
      figures: page.figures.map((figure) => ({ alt: figure.alt, ...transformBox(matrix, figure) })),
    }),
    letterCount: words.reduce((sum, { text }) => sum + countLetters(text), 0),
  };
}

// Signs and digits belong to the script around them.
function isMostlyRightToLeft(glyphs: readonly Glyph[]): boolean {
  let leftward = 0;
  let all = 0;
  for (const { text } of glyphs) {
    const code = text.charCodeAt(0);
    const isLatin = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
    if (isRightToLeft(text)) leftward++;
    if (isLatin || code >= 0xc0) all++;
  }
  return leftward * 2 > all;
}

function mirrorGlyph(glyph: Glyph, width: number): Glyph {
  return { ...glyph, left: width - glyph.right, right: width - glyph.left };
}

function mirrored([a, b, c, d, e, f]: Matrix, width: number): Matrix {
  return [-a, b, -c, d, width - e, f];
}

function groupByTurn(glyphs: readonly Glyph[]): Map<Turn, readonly Glyph[]> {
  const turn = glyphs[0]?.style.turn;
  if (turn !== undefined && glyphs.every((glyph) => glyph.style.turn === turn)) return new Map([[turn, glyphs]]);
  const groups = new Map<Turn, Glyph[]>();
  for (const glyph of glyphs) {
    const group = groups.get(glyph.style.turn);
    if (group === undefined) groups.set(glyph.style.turn, [glyph]);
    else group.push(glyph);
  }
  return groups;
}

function linesOf(words: readonly Word[]): readonly Line[] {
  return attachMarks(attachDropCaps(findLines(words)).map(joinLetterSpacing));
}

function turnRule(rule: Rule, matrix: Matrix): Rule {
  const box = transformBox(matrix, rule);
  return { ...box, isHorizontal: box.right - box.left > box.bottom - box.top };
}

function linkWords(words: readonly Word[], links: readonly PageLink[]): readonly Word[] {
  if (links.length === 0) return words;
  return words.map((word) => {
    const link = links.find((area) => holdsCentre(area, word));
    return link === undefined ? word : { ...word, link: link.target };
  });
}

function holdsCentre(area: Box, word: Word): boolean {
  const x = (word.left + word.right) / 2;
  const y = (word.top + word.bottom) / 2;
  return x >= area.left && x <= area.right && y >= area.top && y <= area.bottom;
}
