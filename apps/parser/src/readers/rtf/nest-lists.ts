import type { Block, Inline, ListItem } from "../../document/document.ts";

/** A paragraph that is an item of a list, before its neighbours are known. */
export interface ListParagraph {
  readonly type: "listParagraph";
  /** From 0. */
  readonly level: number;
  readonly ordered: boolean;
  /** Belongs to the item before it, if there is one. */
  readonly isContinuation: boolean;
  readonly number: number | undefined;
  readonly inlines: readonly Inline[];
}

export type FlatBlock = Block | ListParagraph;

interface OpenList {
  readonly level: number;
  readonly ordered: boolean;
  readonly items: { blocks: Block[] }[];
}

const maxLevel = 8;

/** Turns runs of list paragraphs into lists nested by their levels. */
export function nestLists(blocks: readonly FlatBlock[]): Block[] {
  const result: Block[] = [];
  let open: OpenList[] = [];
  for (const block of blocks) {
    if (block.type === "listParagraph") open = addItem(result, open, block);
    else {
      open = [];
      result.push(block);
    }
  }
  return result;
}

function addItem(result: Block[], open: readonly OpenList[], paragraph: ListParagraph): OpenList[] {
  const level = Math.min(paragraph.level, maxLevel);
  const parents = open.filter((list) => list.level < level);
  const same = open.find((list) => list.level === level && list.ordered === paragraph.ordered);
  const last = open.at(-1)?.items.at(-1);
  if (paragraph.isContinuation && last !== undefined) {
    last.blocks.push({ type: "paragraph", inlines: paragraph.inlines });
    return [...open];
  }
  const item = { blocks: [{ type: "paragraph", inlines: paragraph.inlines } as Block] };
  if (same !== undefined) {
    same.items.push(item);
    return [...parents, same];
  }
  const items: { blocks: Block[] }[] = [item];
  const target = parents.at(-1)?.items.at(-1)?.blocks ?? result;
  const { ordered, number } = paragraph;
  const start = ordered && number !== undefined && number !== 1 ? { start: number } : {};
  target.push({ type: "list", ordered, ...start, items: items satisfies ListItem[] });
  return [...parents, { level, ordered, items }];
}
