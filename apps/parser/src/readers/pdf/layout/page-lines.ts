import type { Box, Glyph, PageContent, PageLink, Rule, Turn } from "../page-content.ts";
import { transformBox, turnMatrix } from "../pdfium/page-frame.ts";
import { countLetters } from "../count-letters.ts";
import { attachDropCaps } from "./drop-caps.ts";
import { findLines, type Line } from "./line.ts";
import { joinLetterSpacing } from "./letter-spacing.ts";
import { findWords, type Word } from "./word.ts";

/** The text of one page as lines, in the frame in which most of it stands upright. */
export interface PageLines {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  /** Quarter turn of the frame against the page as shown. */
  readonly turn: Turn;
  readonly lines: readonly Line[];
  /** Lines written in other directions, each in its own frame, in drawn order. */
  readonly turnedLines: readonly Line[];
  readonly rules: readonly Rule[];
  /** Letters and digits drawn on the page. */
  readonly letterCount: number;
}

/** Finds words and lines among the glyphs of a page. */
export function findPageLines(page: PageContent): PageLines {
  const byTurn = groupByTurn(page.glyphs);
  const [turn = 0] = [...byTurn.keys()].sort((a, b) => (byTurn.get(b)?.length ?? 0) - (byTurn.get(a)?.length ?? 0));
  const isTurned = turn === 1 || turn === 3;
  const matrix = turnMatrix(turn, page);
  const links = page.links.map((link) => ({ ...link, ...transformBox(matrix, link) }));
  const upright = linkWords(findWords(byTurn.get(turn) ?? []), links);
  const turned = [...byTurn].filter(([other]) => other !== turn).map(([, glyphs]) => findWords(glyphs));
  const words = [...upright, ...turned.flat()];
  return {
    number: page.number,
    width: isTurned ? page.height : page.width,
    height: isTurned ? page.width : page.height,
    turn,
    lines: linesOf(upright),
    turnedLines: turned.flatMap(linesOf),
    rules: turn === 0 ? page.rules : page.rules.map((rule) => turnRule(rule, matrix)),
    letterCount: words.reduce((sum, { text }) => sum + countLetters(text), 0),
  };
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

function linesOf(words: readonly Word[]): Line[] {
  return attachDropCaps(findLines(words)).map(joinLetterSpacing);
}

function turnRule(rule: Rule, matrix: Parameters<typeof transformBox>[0]): Rule {
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
