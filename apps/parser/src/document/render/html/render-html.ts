import type { Block, Footnote, ImageBlock, List, PageBreak, Table } from "../../document.ts";
import type { BlockStream } from "../block-stream.ts";
import type { RenderOptions } from "../render-options.ts";
import { separate } from "../separate.ts";
import { escapeHtml } from "./escape-html.ts";
import { noteAnchor, renderHtmlImage, renderHtmlInlines, renderHtmlText } from "./render-html-inlines.ts";
import { renderHtmlTable } from "./render-html-table.ts";

/** A fragment of HTML5 in which all text is escaped and nothing can run; in pieces. */
export function renderHtml({ blocks }: BlockStream, options: RenderOptions): Generator<string> {
  return separate(renderEach(blocks, options), "\n");
}

function* renderEach(blocks: Iterable<Block>, options: RenderOptions): Generator<string> {
  for (const block of blocks) yield renderBlock(block, options);
}

function renderBlocks(blocks: readonly Block[], options: RenderOptions): string {
  return blocks
    .map((block) => renderBlock(block, options))
    .filter(Boolean)
    .join("\n");
}

function renderBlock(block: Block, options: RenderOptions): string {
  switch (block.type) {
    case "list":
      return renderList(block, options);
    case "quote":
      return element("blockquote", lines(renderBlocks(block.blocks, options)));
    case "footnote":
      return renderFootnote(block, options);
    case "pageBreak":
      return options.pageMarkers ? `<!-- page ${block.number} -->` : "";
    default:
      return renderLeafBlock(block);
  }
}

type LeafBlock = Exclude<Block, List | PageBreak | { readonly blocks: readonly Block[] }>;

function renderLeafBlock(block: LeafBlock): string {
  switch (block.type) {
    case "heading":
      return renderHeading(block.level, renderHtmlInlines(block.inlines));
    case "paragraph":
      return element("p", renderHtmlInlines(block.inlines));
    case "table":
      return renderTable(block);
    case "code":
      return renderCode(block.text, block.language);
    case "formula":
      return element("p", renderHtmlText(block.notation === "latex" ? `$$${block.text}$$` : block.text));
    case "image":
    default:
      return renderFigure(block);
  }
}

function renderHeading(level: number, content: string): string {
  return element(`h${Math.min(Math.max(Math.trunc(level) || 1, 1), 6)}`, content);
}

function element(tag: string, content: string): string {
  return content === "" ? "" : `<${tag}>${content}</${tag}>`;
}

function lines(content: string): string {
  return content === "" ? "" : `\n${content}\n`;
}

function renderTable(table: Table): string {
  const html = renderHtmlTable(table);
  const caption = element("caption", renderHtmlInlines(table.caption ?? []));
  if (html === "") return caption === "" ? "" : element("p", renderHtmlInlines(table.caption ?? []));
  return caption === "" ? html : html.replace("<table>", () => `<table>\n${caption}`);
}

function renderCode(text: string, language: string | undefined): string {
  const name = language?.replaceAll(/[^\w+#.-]/g, "") ?? "";
  return `<pre><code${name === "" ? "" : ` class="language-${name}"`}>${escapeHtml(text)}</code></pre>`;
}

function renderFigure(image: ImageBlock): string {
  const caption = element("figcaption", renderHtmlInlines(image.caption ?? []));
  return element("figure", `${renderHtmlImage({ ...image, type: "image" })}${caption}`);
}

function renderFootnote({ id, blocks }: Footnote, options: RenderOptions): string {
  const content = renderBlocks(blocks, options);
  if (content === "") return "";
  return `<aside id="${noteAnchor(id)}">\n<sup>${escapeHtml(id)}</sup>\n${content}\n</aside>`;
}

function renderList({ ordered, start, items }: List, options: RenderOptions): string {
  const tag = ordered ? "ol" : "ul";
  const from = ordered && start !== undefined && start !== 1 ? ` start="${Math.trunc(start) || 0}"` : "";
  const content = items.map(({ blocks, isChecked }) => {
    const box = isChecked === undefined ? "" : `<input type="checkbox" disabled${isChecked ? " checked" : ""}> `;
    const [only] = blocks;
    const isLine = blocks.length === 1 && only?.type === "paragraph";
    return `<li>${box}${isLine ? renderHtmlInlines(only.inlines) : lines(renderBlocks(blocks, options))}</li>`;
  });
  return content.length === 0 ? "" : `<${tag}${from}>\n${content.join("\n")}\n</${tag}>`;
}
