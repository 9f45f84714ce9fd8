import { countLetters } from "../count-letters.ts";
import type { FurnitureFinder } from "./furniture.ts";
import { type Line, mergeWords, toLine } from "./line.ts";
import type { ObserveLayout } from "./observed-page.ts";
import type { PageLines } from "./page-lines.ts";
import { type Passage, toPassage } from "./passage.ts";
import { findRegions } from "./reading-order.ts";
import { joinStretchedLines } from "./stretched-lines.ts";
import { findTables, type TableArea } from "./tables.ts";
import { findTextBlocks, toTextBlock } from "./text-block.ts";
import type { PlacedBlock } from "./to-blocks.ts";

export interface LaidOutPage {
  readonly number: number;
  readonly blocks: readonly PlacedBlock[];
  /** Share of the page's letters, furniture left out, that stands in the blocks. */
  readonly reached: number;
  /** Whether the page is given in plain order, because the layout lost letters or the page has too many lines for one. */
  readonly isPlain: boolean;
}

/** Least share of letters that the layout of a page must carry over. */
const minReached = 0.97;

/** Lines on a page beyond which it is a drawing or an attack, and given in the order it is drawn. */
const maxLines = 4000;

/**
 * Lays out pages that follow one another; running heads and the like are left out when there is a finder of them. `observe`
 * hears what was decided about each page; of a page laid out twice, the last counts.
 */
export function layOutPages(
  pages: readonly PageLines[],
  finder: FurnitureFinder | undefined,
  observe?: ObserveLayout,
): LaidOutPage[] {
  const vocabulary = findVocabulary(pages);
  const furniture = finder?.find(pages) ?? new Set<Line>();
  const laidOut = pages.map((page) => layOutPage(page, { furniture, vocabulary, observe }));
  // Pages that hold nothing but what repeats are forms or labels: that is their text.
  return laidOut.some(({ blocks }) => blocks.length > 0)
    ? laidOut
    : pages.map((page) => layOutPage(page, { furniture: new Set(), vocabulary, observe }));
}

interface Setting {
  readonly furniture: ReadonlySet<Line>;
  readonly vocabulary: ReadonlySet<string>;
  readonly observe: ObserveLayout | undefined;
}

function layOutPage(page: PageLines, { furniture, vocabulary, observe }: Setting): LaidOutPage {
  const lines = page.lines.filter((line) => !furniture.has(line));
  const turned = page.turnedLines.filter((line) => !furniture.has(line));
  const dropped = [...page.lines, ...page.turnedLines].filter((line) => furniture.has(line));
  const toPlain = (reached: number): LaidOutPage => {
    const blocks = plainBlocks([...lines, ...turned], page.number, vocabulary);
    observe?.({ page, furniture: dropped, regions: [], blocks, isPlain: true });
    return { number: page.number, blocks, reached, isPlain: true };
  };
  if (lines.length > maxLines) return toPlain(1);
  const { tables, rest } = findTables(page, lines, vocabulary);
  const regions = findRegions<Line | TableArea>([...joinStretchedLines(rest), ...tables]);
  const blocks = regions.flatMap((region) => regionBlocks(region, page.number, vocabulary));
  const turnedBlocks =
    turned.length === 0 ? [] : [{ ...toPassage(toTextBlock(turned), page.number, vocabulary), isTurned: true }];
  const all = [...blocks, ...turnedBlocks];
  const expected = page.letterCount - lettersOf(dropped);
  const reached = expected <= 0 ? 1 : lettersInBlocks(all) / expected;
  if (reached < minReached) return toPlain(reached);
  observe?.({ page, furniture: dropped, regions, blocks: all, isPlain: false });
  return { number: page.number, blocks: all, reached, isPlain: false };
}

// Tables part the lines of a region; blocks are found between them.
function regionBlocks(
  region: readonly (Line | TableArea)[],
  page: number,
  vocabulary: ReadonlySet<string>,
): PlacedBlock[] {
  const blocks: PlacedBlock[] = [];
  let lines: Line[] = [];
  for (const box of region) {
    if ("words" in box) lines.push(box);
    else {
      blocks.push(...passages(lines, page, vocabulary), { ...box.table, page });
      lines = [];
    }
  }
  return [...blocks, ...passages(lines, page, vocabulary)];
}

function passages(lines: readonly Line[], page: number, vocabulary: ReadonlySet<string>): Passage[] {
  return findTextBlocks(lines, mergeRow).map((block) => toPassage(block, page, vocabulary));
}

function mergeRow(row: readonly Line[]): Line {
  return row.slice(1).reduce((merged, piece) => toLine(mergeWords(merged, piece)), row[0] as Line);
}

// Lines as they are drawn, parted where the text goes back up the page.
function plainBlocks(lines: readonly Line[], page: number, vocabulary: ReadonlySet<string>): Passage[] {
  const groups: Line[][] = [];
  for (const line of lines) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && line.top >= last.top && line.top - last.bottom < line.size) groups.at(-1)?.push(line);
    else groups.push([line]);
  }
  return groups.map((group) => toPassage(toTextBlock(group), page, vocabulary));
}

// Words within lines: those at the ends may be broken.
function findVocabulary(pages: readonly PageLines[]): Set<string> {
  const vocabulary = new Set<string>();
  for (const line of pages.flatMap((page) => page.lines)) {
    for (const { text } of line.words.slice(1, -1)) {
      if (text.length > 3) addWord(trimPunctuation(text.toLowerCase()), vocabulary);
    }
  }
  return vocabulary;
}

// A compound adds its first part with the hyphen, which tells prefixes that are set apart.
function addWord(word: string, vocabulary: Set<string>): void {
  vocabulary.add(word);
  const hyphen = word.indexOf("-");
  if (hyphen > 0) vocabulary.add(word.slice(0, hyphen + 1));
}

function trimPunctuation(word: string): string {
  let [from, to] = [0, word.length];
  while (from < to && isPunctuation(word.charCodeAt(from))) from++;
  while (to > from && isPunctuation(word.charCodeAt(to - 1))) to--;
  return word.slice(from, to);
}

function isPunctuation(code: number): boolean {
  return (
    code < 0x30 || (code > 0x39 && code < 0x41) || (code > 0x7a && code < 0xc0) || (code >= 0x2010 && code <= 0x206f)
  );
}

function lettersOf(lines: readonly Line[]): number {
  let count = 0;
  for (const line of lines) for (const word of line.words) count += countLetters(word.text);
  return count;
}

function lettersInBlocks(blocks: readonly PlacedBlock[]): number {
  return blocks.reduce((sum, block) => sum + (block.kind === "text" ? countLetters(block.text) : block.letterCount), 0);
}
