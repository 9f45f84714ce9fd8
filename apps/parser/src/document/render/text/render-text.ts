import type { Block, Footnote, Inline, List, PageBreak, Table, TableCell } from "../../document.ts";
import type { BlockStream } from "../block-stream.ts";
import type { RenderOptions } from "../render-options.ts";
import { separate } from "../separate.ts";
import { flattenSpans } from "../table-grid.ts";

/** Text for reading, without markup: a blank line between blocks, tabs between cells; in pieces. */
export function renderText({ blocks }: BlockStream, options: RenderOptions): Generator<string> {
  return separate(renderEach(blocks, options), "\n\n");
}

function* renderEach(blocks: Iterable<Block>, options: RenderOptions): Generator<string> {
  for (const block of blocks) yield renderBlock(block, options);
}

function renderBlocks(blocks: readonly Block[], options: RenderOptions): string {
  return blocks
    .map((block) => renderBlock(block, options))
    .filter(Boolean)
    .join("\n\n");
}

function renderBlock(block: Block, options: RenderOptions): string {
  switch (block.type) {
    case "list":
      return renderList(block, options);
    case "table":
      return renderTable(block, options);
    case "quote":
      return renderBlocks(block.blocks, options);
    case "footnote":
      return renderFootnote(block, options);
    case "pageBreak":
      return options.pageMarkers ? `[page ${block.number}]` : "";
    default:
      return renderLeafBlock(block);
  }
}

type LeafBlock = Exclude<Block, List | Table | PageBreak | { readonly blocks: readonly Block[] }>;

function renderLeafBlock(block: LeafBlock): string {
  switch (block.type) {
    case "heading":
    case "paragraph":
      return renderInlines(block.inlines);
    case "code":
    case "formula":
      return block.text.trimEnd();
    case "image":
    default:
      return [block.alt, renderInlines(block.caption ?? [])].filter(Boolean).join("\n");
  }
}

function renderInlines(inlines: readonly Inline[]): string {
  return inlines.map(renderInline).join("");
}

function renderInline(inline: Inline): string {
  if (typeof inline === "string") return inline;
  if ("inlines" in inline) return renderInlines(inline.inlines);
  switch (inline.type) {
    case "code":
    case "formula":
      return inline.text;
    case "image":
      return inline.alt;
    case "noteReference":
      return `[${inline.id}]`;
    case "lineBreak":
    default:
      return "\n";
  }
}

function renderFootnote({ id, blocks }: Footnote, options: RenderOptions): string {
  const text = renderBlocks(blocks, options);
  return text === "" ? "" : `[${id}] ${text}`;
}

function renderList(list: List, options: RenderOptions): string {
  const first = list.start ?? 1;
  const items = list.items.map(({ blocks, isChecked }, index) => {
    const label = list.ordered ? `${first + index}. ` : "- ";
    const box = isChecked === undefined ? "" : isChecked ? "[x] " : "[ ] ";
    const text = renderItemBlocks(blocks, options);
    return `${label}${box}${text.replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(label.length)}`)}`.trimEnd();
  });
  return items.join("\n");
}

function renderItemBlocks(blocks: readonly Block[], options: RenderOptions): string {
  return blocks
    .map((block) => renderBlock(block, options))
    .filter(Boolean)
    .join("\n");
}

function renderTable(table: Table, options: RenderOptions): string {
  const rows = flattenSpans(table).map((row) => row.map((cell) => renderCell(cell, options)).join("\t"));
  const body = rows.filter((row) => row.trim() !== "").join("\n");
  return [renderInlines(table.caption ?? []), body].filter(Boolean).join("\n");
}

function renderCell(cell: TableCell, options: RenderOptions): string {
  const text = typeof cell === "string" ? cell : renderItemBlocks(cell.blocks, options);
  return /[\n\r\t]/.test(text) ? text.replaceAll(/[\n\r\t]+/g, " ") : text;
}
