import type { Document } from "../../document/document.ts";
import { decodeText } from "../../text/decode-text.ts";
import type { ReadContext, ReadDocument, ReaderInput } from "../reader.ts";
import { boundMarkup } from "./bound-markup.ts";
import { type BlockScope, convertBlocks } from "./convert-blocks.ts";
import { parseMarkdown, type Root } from "./parse-markdown.ts";
import { readFrontMatter } from "./read-front-matter.ts";
import { readHtmlBlocks } from "./read-html-blocks.ts";

/**
 * CommonMark with GFM, front matter, footnotes and formulas.
 * @throws AppError `LIMIT_EXCEEDED` for quotes and lists nested too deep, or HTML that the reader of HTML refuses.
 */
export const readMarkdown: ReadDocument = async (input, context) => {
  const text = decode(input, context).replaceAll(/\r\n?/g, "\n");
  const { maxMarkupDepth } = context.budget.limits;
  const without = boundMarkup(text, maxMarkupDepth);
  if (without.length > 0)
    context.warn(
      "A paragraph has thousands of marks such as * or [, so emphasis, links or tags stand as they are written.",
    );
  return convert(parseMarkdown(text, without), text, context);
};

function decode({ bytes, charset }: ReaderInput, { options }: ReadContext): string {
  return decodeText(bytes, {
    ...(options.encoding !== undefined && { encoding: options.encoding }),
    ...(charset !== undefined && { charset }),
  }).text;
}

async function convert(root: Root, text: string, context: ReadContext): Promise<Document> {
  const metadata = readFrontMatter(root);
  if (metadata === undefined) context.warn("The front matter is not well formed and was left out.");
  const html = await readHtmlBlocks(root, context);
  const targets = listTargets(root);
  const scope: BlockScope = {
    targetOf: (identifier) => targets.get(identifier),
    htmlBlocks: (node) => html.get(node) ?? [],
    sourceOf: ({ position }) => text.slice(position?.start.offset, position?.end.offset),
    takeCells: (count) => context.budget.takeTableCells(count),
    maxDepth: context.budget.limits.maxMarkupDepth,
  };
  return { metadata: metadata ?? {}, blocks: convertBlocks(root.children, scope) };
}

/** Addresses by the identifier of their definition, which may stand anywhere; the first of a name counts. */
function listTargets(root: Root): Map<string, string> {
  const targets = new Map<string, string>();
  const stack: { readonly children: readonly object[] }[] = [root];
  for (let parent = stack.pop(); parent !== undefined; parent = stack.pop()) {
    for (const node of parent.children as readonly Root["children"][number][]) {
      if (node.type === "definition" && !targets.has(node.identifier)) targets.set(node.identifier, node.url);
      if (
        node.type === "blockquote" ||
        node.type === "list" ||
        node.type === "listItem" ||
        node.type === "footnoteDefinition"
      )
        stack.push(node);
    }
  }
  return targets;
}
