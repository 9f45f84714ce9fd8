import type { Block, Inline, Table } from "../document/document.ts";

/** Whether any block holds a word; pictures without alternative text, page breaks and blanks are none. */
export function hasText(blocks: readonly Block[]): boolean {
  return blocks.some(blockHasText);
}

function blockHasText(block: Block): boolean {
  if ("inlines" in block) return block.inlines.some(inlineHasText);
  if ("blocks" in block) return hasText(block.blocks);
  if ("text" in block) return !isBlank(block.text);
  if (block.type === "list") return block.items.some((item) => hasText(item.blocks));
  if (block.type === "table") return tableHasText(block);
  return block.type === "image" && (!isBlank(block.alt) || (block.caption ?? []).some(inlineHasText));
}

function tableHasText({ rows, caption = [] }: Table): boolean {
  const hasCell = rows.some((row) =>
    row.some((cell) => (typeof cell === "string" ? !isBlank(cell) : hasText(cell.blocks))),
  );
  return hasCell || caption.some(inlineHasText);
}

function inlineHasText(inline: Inline): boolean {
  if (typeof inline === "string") return !isBlank(inline);
  if ("inlines" in inline) return inline.inlines.some(inlineHasText);
  if ("text" in inline) return !isBlank(inline.text);
  return inline.type === "image" && !isBlank(inline.alt);
}

const isBlank = (text: string) => !/\S/.test(text);
