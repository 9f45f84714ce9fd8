import type { Block, Inline, TableCell } from "./document.ts";

type Node = Block | TableCell | { readonly blocks: readonly Block[] };

/**
 * The plain text of all blocks in reading order, one string for each block of text, cell, alternative text or caption:
 * what must be found in any rendering. Any depth.
 */
export function* documentText(blocks: readonly Block[]): Generator<string> {
  const stack: Node[] = blocks.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === "string") yield node;
    else if ("type" in node) yield* ownText(node);
    if (typeof node !== "string") for (const child of childrenOf(node).toReversed()) stack.push(child);
  }
}

function* ownText(block: Block): Generator<string> {
  switch (block.type) {
    case "heading":
    case "paragraph":
      yield inlineText(block.inlines);
      break;
    case "code":
    case "formula":
      yield block.text;
      break;
    case "image":
      yield block.alt;
      if (block.caption !== undefined) yield inlineText(block.caption);
      break;
    case "table":
      if (block.caption !== undefined) yield inlineText(block.caption);
      break;
    default:
  }
}

function childrenOf(node: Exclude<Node, string>): readonly Node[] {
  if ("blocks" in node) return node.blocks;
  if (node.type === "list") return node.items;
  return node.type === "table" ? node.rows.flat() : [];
}

/** The text of inlines, line breaks as newlines; note references have none. Any depth. */
export function inlineText(inlines: readonly Inline[]): string {
  let text = "";
  const stack: Inline[] = inlines.toReversed();
  for (let inline = stack.pop(); inline !== undefined; inline = stack.pop()) {
    if (typeof inline === "string") text += inline;
    else if ("inlines" in inline) for (const child of inline.inlines.toReversed()) stack.push(child);
    else text += leafText(inline);
  }
  return text;
}

function leafText(leaf: Exclude<Inline, string | { readonly inlines: readonly Inline[] }>): string {
  switch (leaf.type) {
    case "code":
    case "formula":
      return leaf.text;
    case "image":
      return leaf.alt;
    case "lineBreak":
      return "\n";
    case "noteReference":
    default:
      return "";
  }
}
