import type { Block, TableCell } from "./document.ts";

/** The blocks with every heading `levels` deeper, inside lists, quotes and cells too: for a document put into another. */
export function shiftHeadings(blocks: readonly Block[], levels: number): readonly Block[] {
  return levels === 0 ? blocks : blocks.map((block) => shiftBlock(block, levels));
}

function shiftBlock(block: Block, levels: number): Block {
  switch (block.type) {
    case "heading":
      return { ...block, level: block.level + levels };
    case "quote":
    case "footnote":
      return { ...block, blocks: shiftHeadings(block.blocks, levels) };
    case "list":
      return { ...block, items: block.items.map((item) => ({ ...item, blocks: shiftHeadings(item.blocks, levels) })) };
    case "table":
      return { ...block, rows: block.rows.map((row) => row.map((cell) => shiftCell(cell, levels))) };
    default:
      return block;
  }
}

function shiftCell(cell: TableCell, levels: number): TableCell {
  return typeof cell === "string" ? cell : { ...cell, blocks: shiftHeadings(cell.blocks, levels) };
}
