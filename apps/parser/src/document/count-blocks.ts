import type { Block } from "./document.ts";

type Holder = { readonly blocks: readonly Block[] };

/** Number of blocks, those in lists, cells, quotes and notes included; what `DocumentLimits.maxBlocks` bounds. Any depth. */
export function countBlocks(blocks: readonly Block[]): number {
  let count = 0;
  const stack: Holder[] = [{ blocks }];
  for (let holder = stack.pop(); holder !== undefined; holder = stack.pop()) {
    count += holder.blocks.length;
    for (const block of holder.blocks) pushHolders(block, stack);
  }
  return count;
}

function pushHolders(block: Block, stack: Holder[]): void {
  if (block.type === "quote" || block.type === "footnote") stack.push(block);
  if (block.type === "list") for (const item of block.items) stack.push(item);
  if (block.type !== "table") return;
  for (const row of block.rows) for (const cell of row) if (typeof cell !== "string") stack.push(cell);
}
