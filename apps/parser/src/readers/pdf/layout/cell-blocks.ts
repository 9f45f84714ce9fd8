import type { Block } from "../../../document/document.ts";
import { composeInlines } from "./compose-inlines.ts";
import { decimalOf, isLoneBullet, itemMark } from "./item-mark.ts";
import type { Line } from "./line.ts";
import { findList } from "./lists.ts";
import { type Passage, toPassage } from "./passage.ts";
import { findTextBlocks } from "./text-block.ts";

/** Lines of a cell further apart than this, in the usual distance of its lines, are paragraphs of their own. */
const openLeading = 1.5;

/** What a cell holds: its lists where it has some, its paragraphs where empty lines part them, else one paragraph. */
export function cellBlocks(lines: readonly Line[], vocabulary: ReadonlySet<string>): Block[] {
  if (lines.length === 0) return [];
  if (hasList(lines)) return listedBlocks(lines, vocabulary);
  return partAtGaps(lines).map((part) => ({
    type: "paragraph",
    inlines: composeInlines(part, { vocabulary, isPlain: true }),
  }));
}

// Bullets are at least two, numbers count from one. Letters stay with the text, as in any list.
function hasList(lines: readonly Line[]): boolean {
  const bullets = lines.filter(({ words: [first, ...rest] }) => first && rest.length > 0 && isLoneBullet(first));
  if (bullets.length > 1) return true;
  const numbers = lines.map((line) => decimalOf(itemMark(line) ?? "")).filter((number) => number !== undefined);
  return numbers.length > 1 && numbers.every((number, index) => number === index + 1);
}

function listedBlocks(lines: readonly Line[], vocabulary: ReadonlySet<string>): Block[] {
  const passages = findTextBlocks(lines, ([first]) => first as Line).map((block) => toPassage(block, 0, vocabulary));
  const blocks: Block[] = [];
  for (let at = 0; at < passages.length;) {
    const run = findList(passages.slice(at), toParagraph);
    blocks.push(run?.list ?? toParagraph(passages[at] as Passage));
    at += run?.length ?? 1;
  }
  return blocks;
}

function toParagraph({ inlines }: Passage): Block {
  return { type: "paragraph", inlines };
}

function partAtGaps(lines: readonly Line[]): Line[][] {
  const distances = lines.slice(1).map((line, index) => line.baseline - (lines[index] as Line).baseline);
  const usual = Math.min(...distances);
  const parts: Line[][] = [];
  for (const [index, line] of lines.entries()) {
    const distance = distances[index - 1] ?? 0;
    const isApart = distance > Math.max(usual, line.size * 0.9) * openLeading && distance > line.size * openLeading;
    if (index === 0 || isApart) parts.push([line]);
    else parts.at(-1)?.push(line);
  }
  return parts;
}
