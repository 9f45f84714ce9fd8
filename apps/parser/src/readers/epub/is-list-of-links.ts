import type { Block } from "../../document/document.ts";
import { rewriteBlocks } from "../../document/rewrite-blocks.ts";

/** Whether nearly all text of a page but its headings is in links, as on a page of contents. */
export function isListOfLinks(blocks: readonly Block[]): boolean {
  const body = blocks.filter(({ type }) => type !== "heading");
  let linkedLength = 0;
  const unlinked = rewriteBlocks(body, {
    block: (block) => block,
    inline: (inline) => {
      if (typeof inline === "string" || inline.type !== "link") return inline;
      linkedLength += lengthOf(inline.inlines);
      return [];
    },
  });
  return linkedLength > 0 && linkedLength >= 9 * lengthOf(unlinked);
}

function lengthOf(content: readonly object[] | readonly unknown[]): number {
  let length = 0;
  JSON.stringify(content, (key, value: unknown) => {
    if (typeof value === "string" && key !== "type" && key !== "target") length += value.trim().length;
    return value;
  });
  return length;
}
