import type { Block, Inline, ListItem, TableCell } from "./document.ts";
import { flatMapShared, mapShared, withChanged } from "./map-shared.ts";

/** What becomes of each block and inline, after what is inside it has been rewritten. */
export interface Rewrite {
  block(block: Block): Block | readonly Block[];
  inline(inline: Inline): Inline | readonly Inline[];
}

/** The blocks with all blocks and inlines in them rewritten, from the innermost outwards; unchanged parts are shared. */
export function rewriteBlocks(blocks: readonly Block[], rewrite: Rewrite): readonly Block[] {
  return flatMapShared(blocks, (block) => rewrite.block(rewriteInside(block, rewrite)));
}

function rewriteInside(block: Block, rewrite: Rewrite): Block {
  switch (block.type) {
    case "heading":
    case "paragraph":
      return withChanged(block, "inlines", rewriteInlines(block.inlines, rewrite));
    case "list":
      return withChanged(
        block,
        "items",
        mapShared<ListItem>(block.items, (item) => rewriteHolder(item, rewrite)),
      );
    case "table": {
      const rows = mapShared(block.rows, (row) => mapShared(row, (cell) => rewriteCell(cell, rewrite)));
      return rewriteCaption(withChanged(block, "rows", rows), rewrite);
    }
    case "quote":
    case "footnote":
      return rewriteHolder(block, rewrite);
    case "image":
      return rewriteCaption(block, rewrite);
    default:
      return block;
  }
}

function rewriteCell(cell: TableCell, rewrite: Rewrite): TableCell {
  return typeof cell === "string" ? cell : rewriteHolder(cell, rewrite);
}

function rewriteHolder<THolder extends { readonly blocks: readonly Block[] }>(
  holder: THolder,
  rewrite: Rewrite,
): THolder {
  return withChanged(holder, "blocks", rewriteBlocks(holder.blocks, rewrite));
}

function rewriteCaption<TBlock extends { readonly caption?: readonly Inline[] }>(
  block: TBlock,
  rewrite: Rewrite,
): TBlock {
  return block.caption === undefined ? block : withChanged(block, "caption", rewriteInlines(block.caption, rewrite));
}

function rewriteInlines(inlines: readonly Inline[], rewrite: Rewrite): readonly Inline[] {
  return flatMapShared(inlines, (inline) => {
    const changed =
      typeof inline !== "string" && "inlines" in inline
        ? withChanged(inline, "inlines", rewriteInlines(inline.inlines, rewrite))
        : inline;
    return rewrite.inline(changed);
  });
}
