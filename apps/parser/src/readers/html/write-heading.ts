import type { Block, Inline } from "../../document/document.ts";
import type { FlowWriter } from "./flow-writer.ts";
import { attribute, type HtmlElement } from "./html-node.ts";

/** Writes `h1` to `h6` and `role="heading"`; what no heading can hold (tables, lists) stands after it. */
export function writeHeading(element: HtmlElement, writer: FlowWriter): void {
  const inner = writer.child();
  inner.writeChildren(element);
  const inlines: Inline[] = [];
  const others: Block[] = [];
  for (const block of inner.finish()) {
    const line = inlinesOf(block);
    if (line === undefined) others.push(block);
    else {
      if (inlines.length > 0) inlines.push(" ");
      for (const inline of line) inlines.push(toHeadingInline(inline));
    }
  }
  if (inlines.length > 0) writer.block({ type: "heading", level: levelOf(element), inlines });
  for (const block of others) writer.block(block);
}

function inlinesOf(block: Block): readonly Inline[] | undefined {
  if (block.type === "paragraph" || block.type === "heading") return block.inlines;
  if (block.type === "image") return [{ ...block, type: "image" }];
  return block.type === "formula" ? [block] : undefined;
}

// A heading is one line.
function toHeadingInline(inline: Inline): Inline {
  return typeof inline !== "string" && inline.type === "lineBreak" ? " " : inline;
}

function levelOf(element: HtmlElement): number {
  const ownLevel = /^h([1-6])$/.exec(element.name)?.[1];
  const level = Number(ownLevel ?? attribute(element, "aria-level"));
  return Number.isInteger(level) && level >= 1 && level <= 9 ? level : 2;
}
