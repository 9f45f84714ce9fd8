import type { Block, ImageBlock, List, ListItem, PageBreak, Table } from "../../document.ts";
import type { BlockStream } from "../block-stream.ts";
import { isSimpleTable } from "../is-simple-table.ts";
import { renderHtmlTable } from "../html/render-html-table.ts";
import type { RenderOptions } from "../render-options.ts";
import { separate } from "../separate.ts";
import { noteLabel } from "./inline-tokens.ts";
import { renderFrontMatter } from "./render-front-matter.ts";
import { renderGfmTable } from "./render-gfm-table.ts";
import { renderInlines, renderText } from "./render-inlines.ts";

/** CommonMark with GFM tables, footnotes and task lists, and formulas between dollar signs; in pieces. */
export function* renderMarkdown({ metadata, blocks }: BlockStream, options: RenderOptions): Generator<string> {
  if (options.frontMatter) yield renderFrontMatter(metadata);
  yield* separate(renderEach(blocks, options), "\n\n");
}

function renderBlocks(blocks: readonly Block[], options: RenderOptions): string[] {
  return blocks.length === 0 ? [] : [...renderEach(blocks, options)];
}

/** The Markdown of each block that shows anything. */
function* renderEach(blocks: Iterable<Block>, options: RenderOptions): Generator<string> {
  let previous: Block | undefined;
  let previousMarker = "";
  for (const block of blocks) {
    const marker = block.type === "list" ? listMarker(block, previous, previousMarker) : "";
    const text = block.type === "list" ? renderList(block, marker, options) : renderBlock(block, options);
    if (text === "") continue;
    yield text;
    previous = block;
    previousMarker = marker;
  }
}

// Two lists in a row would be read as one if they had the same marker.
function listMarker(list: List, previous: Block | undefined, previousMarker: string): string {
  const follows = previous?.type === "list" && previous.ordered === list.ordered;
  if (list.ordered) return follows && previousMarker === "." ? ")" : ".";
  return follows && previousMarker === "-" ? "*" : "-";
}

function renderBlock(block: Exclude<Block, List>, options: RenderOptions): string {
  switch (block.type) {
    case "table":
      return renderTable(block, options);
    case "quote":
      return prefixLines(renderBlocks(block.blocks, options).join("\n\n"), "> ");
    case "footnote":
      return renderFootnote(block.id, renderBlocks(block.blocks, options).join("\n\n"));
    case "pageBreak":
      return options.pageMarkers ? `<!-- page ${block.number} -->` : "";
    default:
      return renderLeafBlock(block);
  }
}

type LeafBlock = Exclude<Block, List | Table | PageBreak | { readonly blocks: readonly Block[] }>;

function renderLeafBlock(block: LeafBlock): string {
  switch (block.type) {
    case "heading":
      return renderHeading(block.level, renderInlines(block.inlines, { kind: "heading" }));
    case "paragraph":
      return renderInlines(block.inlines, { kind: "paragraph" });
    case "code":
      return renderCode(block.text, block.language ?? "");
    case "formula":
      return block.notation === "latex" ? renderFormula(block.text) : renderText(block.text, { kind: "paragraph" });
    case "image":
    default:
      return renderImage(block);
  }
}

function renderHeading(level: number, text: string): string {
  return text === "" ? "" : `${"#".repeat(Math.min(Math.max(Math.trunc(level) || 1, 1), 6))} ${text}`;
}

function renderTable(table: Table, options: RenderOptions): string {
  const isGfm = options.tables === "markdown" || (options.tables === "auto" && isSimpleTable(table));
  const body = isGfm ? renderGfmTable(table) : renderHtmlTable(table);
  const caption = table.caption === undefined ? "" : renderInlines(table.caption, { kind: "paragraph" });
  return [caption, body].filter(Boolean).join("\n\n");
}

function renderCode(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const body = text.replaceAll(/\r\n?/g, "\n").replace(/\n$/, "");
  return `${fence}${language.replaceAll(/[\s`\\&]+/g, "")}\n${body}\n${fence}`;
}

function renderFormula(text: string): string {
  const body = text.replaceAll(/\r\n?/g, "\n").trim();
  if (body === "") return "";
  const longest = Math.max(1, ...Array.from(body.matchAll(/\${2,}/g), ([run]) => run.length));
  const fence = "$".repeat(longest + 1);
  return `${fence}\n${body}\n${fence}`;
}

function renderImage(image: ImageBlock): string {
  const place = { kind: "paragraph" } as const;
  const picture = renderInlines([{ ...image, type: "image" }], place);
  const caption = image.caption === undefined ? "" : renderInlines(image.caption, place);
  return [picture, caption].filter(Boolean).join("\n\n");
}

function renderFootnote(id: string, text: string): string {
  return text === "" ? "" : `[^${noteLabel(id)}]: ${indentAfterFirst(text, 4)}`;
}

function renderList(list: List, marker: string, options: RenderOptions): string {
  const first = list.start ?? 1;
  const items = list.items.map((item, index) => {
    const label = list.ordered ? `${clampNumber(first + index)}${marker} ` : `${marker} `;
    return `${label}${indentAfterFirst(renderItem(item, options), label.length)}`.trimEnd();
  });
  return items.join(items.some((item) => item.includes("\n\n")) ? "\n\n" : "\n");
}

// CommonMark's list numbers have up to nine digits.
function clampNumber(number: number): number {
  return Math.min(Math.max(Math.trunc(number) || 0, 0), 999_999_999);
}

function renderItem({ blocks, isChecked }: ListItem, options: RenderOptions): string {
  const [first, ...rest] = blocks;
  const box = isChecked === undefined ? "" : isChecked ? "[x] " : "[ ] ";
  if (first?.type !== "paragraph") {
    const all = renderBlocks(blocks, options).join("\n\n");
    return box === "" ? all : `${box.trimEnd()}\n\n${all}`;
  }
  const head = renderInlines(first.inlines, { kind: "paragraph", startsItem: box === "" });
  const tail = renderBlocks(rest, options);
  const isTight = rest.length === 1 && canInterruptParagraph(rest[0]) && !tail.some((text) => text.includes("\n\n"));
  return [box + head, ...tail].filter(Boolean).join(isTight ? "\n" : "\n\n");
}

function canInterruptParagraph(block: Block | undefined): boolean {
  if (block?.type !== "list") return false;
  const hasFirst = block.items[0]?.blocks[0]?.type === "paragraph";
  return hasFirst && (!block.ordered || (block.start ?? 1) === 1);
}

function indentAfterFirst(text: string, width: number): string {
  return text.includes("\n") ? text.replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(width)}`) : text;
}

function prefixLines(text: string, prefix: string): string {
  if (text === "") return "";
  return text
    .split("\n")
    .map((line) => (line === "" ? prefix.trimEnd() : prefix + line))
    .join("\n");
}
