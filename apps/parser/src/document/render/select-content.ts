import type { Block, Document, ImageContent, Inline, ListItem, Table, TableCell } from "../document.ts";
import { isSafeTarget } from "./is-safe-target.ts";
import type { RenderOptions } from "./render-options.ts";

/**
 * The document with only what the options ask for: footnotes, formulas, links and images kept, changed to text or left out,
 * links to addresses that are not safe turned to their text, pictures without their bytes unless those are wanted. Parts
 * that stay as they are, are shared with the document given.
 */
export function selectContent(document: Document, options: RenderOptions): Document {
  const blocks = selectBlocks(document.blocks, options);
  return blocks === document.blocks ? document : { ...document, blocks };
}

function selectBlocks(blocks: readonly Block[], options: RenderOptions): readonly Block[] {
  return flatMapShared(blocks, (block) => selectBlock(block, options));
}

function selectBlock(block: Block, options: RenderOptions): Block | readonly Block[] {
  switch (block.type) {
    case "heading":
    case "paragraph":
      return withInlines(block, options);
    case "list":
      return withChanged(
        block,
        "items",
        mapShared(block.items, (item) => selectItem(item, options)),
      );
    case "table":
      return selectTable(block, options);
    case "quote":
      return withChanged(block, "blocks", selectBlocks(block.blocks, options));
    case "footnote":
      return options.footnotes === "drop" ? [] : withChanged(block, "blocks", selectBlocks(block.blocks, options));
    case "formula":
      return selectFormulaBlock(block, options);
    case "image":
      return selectImageBlock(block, options);
    default:
      return block;
  }
}

function withInlines<TBlock extends Extract<Block, { readonly type: "heading" | "paragraph" }>>(
  block: TBlock,
  options: RenderOptions,
): TBlock {
  return withChanged(block, "inlines", selectInlines(block.inlines, options));
}

function selectItem(item: ListItem, options: RenderOptions): ListItem {
  return withChanged(item, "blocks", selectBlocks(item.blocks, options));
}

function selectTable(table: Table, options: RenderOptions): Table {
  const rows = mapShared(table.rows, (row) => mapShared(row, (cell) => selectCell(cell, options)));
  const changed = withChanged(table, "rows", rows);
  if (table.caption === undefined) return changed;
  return withChanged(changed, "caption", selectInlines(table.caption, options));
}

function selectCell(cell: TableCell, options: RenderOptions): TableCell {
  return typeof cell === "string" ? cell : withChanged(cell, "blocks", selectBlocks(cell.blocks, options));
}

function selectFormulaBlock(
  block: Extract<Block, { readonly type: "formula" }>,
  { formulas }: RenderOptions,
): Block | readonly Block[] {
  if (formulas === "latex") return block;
  if (formulas === "drop") return [];
  const { text, source } = block;
  return { type: "paragraph", inlines: [text], ...(source !== undefined && { source }) };
}

function selectImageBlock(
  block: Extract<Block, { readonly type: "image" }>,
  options: RenderOptions,
): Block | readonly Block[] {
  const caption = block.caption && selectInlines(block.caption, options);
  if (options.images !== "none") {
    const changed = caption === undefined ? block : withChanged(block, "caption", caption);
    return withoutUnwantedBytes(changed, options);
  }
  return caption === undefined ? [] : { type: "paragraph", inlines: caption };
}

function withoutUnwantedBytes<TImage extends ImageContent>(image: TImage, { images }: RenderOptions): TImage {
  if (image.data === undefined || images === "data_uri") return image;
  const { data: _, ...rest } = image;
  return rest as TImage;
}

function selectInlines(inlines: readonly Inline[], options: RenderOptions): readonly Inline[] {
  return flatMapShared(inlines, (inline) => selectInline(inline, options));
}

function selectInline(inline: Inline, options: RenderOptions): Inline | readonly Inline[] {
  if (typeof inline === "string") return inline;
  switch (inline.type) {
    case "strong":
    case "emphasis":
    case "superscript":
    case "subscript":
      return withChanged(inline, "inlines", selectInlines(inline.inlines, options));
    case "link": {
      const inlines = selectInlines(inline.inlines, options);
      if (options.links === "text" || !isSafeTarget(inline.target)) return inlines;
      return withChanged(inline, "inlines", inlines);
    }
    case "formula":
      return options.formulas === "latex" ? inline : options.formulas === "text" ? inline.text : [];
    case "image":
      return options.images === "none" ? [] : withoutUnwantedBytes(inline, options);
    case "noteReference":
      return options.footnotes === "drop" ? [] : inline;
    default:
      return inline;
  }
}

function withChanged<TValue extends object, TKey extends keyof TValue>(
  value: TValue,
  key: TKey,
  changed: TValue[TKey],
): TValue {
  return value[key] === changed ? value : { ...value, [key]: changed };
}

/** `map` that returns the very array when nothing changed. */
function mapShared<TItem>(items: readonly TItem[], change: (item: TItem) => TItem): readonly TItem[] {
  let changed: TItem[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as TItem;
    const result = change(item);
    if (changed === undefined && result !== item) changed = items.slice(0, at);
    changed?.push(result);
  }
  return changed ?? items;
}

/** `flatMap` that returns the very array when nothing changed. */
function flatMapShared<TItem extends Block | Inline>(
  items: readonly TItem[],
  change: (item: TItem) => TItem | readonly TItem[],
): readonly TItem[] {
  let changed: TItem[] | undefined;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as TItem;
    const result = change(item);
    if (changed === undefined && result !== item) changed = items.slice(0, at);
    if (changed === undefined) continue;
    if (Array.isArray(result)) changed.push(...(result as readonly TItem[]));
    else changed.push(result as TItem);
  }
  return changed ?? items;
}
