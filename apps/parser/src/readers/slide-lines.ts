import type { Block, Inline, ListItem } from "../document/document.ts";

export interface Bullet {
  readonly kind: "none" | "bullet" | "ordered";
  /** First number of an ordered list. */
  readonly start: number;
}

/** A paragraph of a shape. */
export interface TextLine {
  readonly inlines: readonly Inline[];
  /** From 0. */
  readonly level: number;
  readonly bullet: Bullet;
}

/** The deepest level that presentations know. */
export const maxLevel = 8;

/** Lines as blocks: bulleted and numbered ones nested into lists by level, the others paragraphs. */
export function toBlocks(lines: readonly TextLine[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line === undefined) break;
    if (line.bullet.kind === "none") {
      blocks.push(lineBlock(line));
      at++;
    } else {
      const end = endOfList(lines, at);
      blocks.push(...nestLists(lines.slice(at, end), line.level));
      at = end;
    }
  }
  return blocks;
}

function lineBlock({ inlines }: TextLine): Block {
  const [only] = inlines;
  const isFormula = inlines.length === 1 && typeof only !== "string" && only?.type === "formula";
  return isFormula ? only : { type: "paragraph", inlines };
}

function endOfList(lines: readonly TextLine[], from: number): number {
  let end = from + 1;
  while (end < lines.length && lines[end]?.bullet.kind !== "none") end++;
  return end;
}

// Lists of one level after one another, deeper lines inside the item before them.
function nestLists(lines: readonly TextLine[], level: number): Block[] {
  const lists: { ordered: boolean; start: number; items: ListItem[] }[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (line === undefined) break;
    const end = endOfItem(lines, at, level);
    const inner = lines.slice(at + 1, end);
    const innerLevel = inner.reduce((least, other) => Math.min(least, other.level), maxLevel);
    const nested = inner.length === 0 ? [] : nestLists(inner, innerLevel);
    const ordered = line.bullet.kind === "ordered";
    let list = lists.at(-1);
    if (list?.ordered !== ordered) {
      list = { ordered, start: line.bullet.start, items: [] };
      lists.push(list);
    }
    list.items.push({ blocks: [lineBlock(line), ...nested] });
    at = end;
  }
  return lists.map(({ ordered, start, items }) => ({
    type: "list",
    ordered,
    ...(ordered && start !== 1 && { start }),
    items,
  }));
}

function endOfItem(lines: readonly TextLine[], from: number, level: number): number {
  let end = from + 1;
  while (end < lines.length && (lines[end]?.level ?? 0) > level) end++;
  return end;
}

/** A title of several lines is one heading. */
export function titleOf(lines: readonly (readonly Inline[])[]): Block {
  const inlines = lines.flatMap((line, index) => (index === 0 ? line : [" ", ...line]));
  return { type: "heading", level: 1, inlines: inlines.map((inline) => withoutBreak(inline)) };
}

function withoutBreak(inline: Inline): Inline {
  return typeof inline !== "string" && inline.type === "lineBreak" ? " " : inline;
}

/** The speaker's notes under a slide. */
export function notesQuote(notes: readonly Block[]): Block {
  return {
    type: "quote",
    blocks: [{ type: "paragraph", inlines: [{ type: "strong", inlines: ["Notes:"] }] }, ...notes],
  };
}
