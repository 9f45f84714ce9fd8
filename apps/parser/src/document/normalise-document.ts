import { documentText } from "./document-text.ts";
import type {
  Block,
  Document,
  Footnote,
  Inline,
  List,
  ListItem,
  Metadata,
  Paragraph,
  RichCell,
  Table,
  TableCell,
} from "./document.ts";
import { flatMapShared, mapShared, withChanged } from "./map-shared.ts";
import { normaliseFormula } from "./normalise/inline-leaves.ts";
import { normaliseInlines } from "./normalise/normalise-inlines.ts";
import { normaliseNotes } from "./normalise/normalise-notes.ts";
import { normaliseCode, normaliseLine, normaliseVerbatimLine } from "./normalise/normalise-text.ts";

// Beyond this many blocks inside one another only the text is kept: no file means such a depth, and passes recurse.
const maxDepth = 100;

/**
 * The document in the form that renderers expect and that does not depend on how a reader cut it up: text in NFC without
 * control and invisible characters, ligatures as letters, single spaces; nothing empty; runs of one style joined; note ids
 * unique; blocks nested at most 100 deep. Idempotent. Parts that are so already are shared with the document given.
 */
export function normaliseDocument(document: Document): Document {
  let blocks = normaliseBlocks(document.blocks, 0);
  const noted = normaliseNotes(blocks);
  if (noted !== blocks) blocks = normaliseBlocks(noted, 0);
  return { metadata: normaliseMetadata(document.metadata), blocks };
}

function normaliseMetadata(metadata: Metadata): Metadata {
  const entries = Object.entries(metadata).map(
    ([key, value]: [string, unknown]) => [key, normaliseFact(value)] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function normaliseFact(value: unknown): unknown {
  if (typeof value === "string") return normaliseLine(value) || undefined;
  if (!Array.isArray(value)) return value;
  const facts = value.map((item) => normaliseLine(String(item))).filter(Boolean);
  return facts.length === 0 ? undefined : facts;
}

function normaliseBlocks(blocks: readonly Block[], depth: number): readonly Block[] {
  if (depth > maxDepth) return flattenBlocks(blocks);
  return flatMapShared(blocks, (block) => normaliseBlock(block, depth));
}

function flattenBlocks(blocks: readonly Block[]): readonly Block[] {
  const paragraphs: Paragraph[] = [];
  for (const text of documentText(blocks)) {
    const line = normaliseLine(text);
    if (line !== "") paragraphs.push({ type: "paragraph", inlines: [line] });
  }
  return paragraphs;
}

const nothing: readonly Block[] = [];

function normaliseBlock(block: Block, depth: number): Block | readonly Block[] {
  switch (block.type) {
    case "heading":
      return normaliseHeading(block);
    case "paragraph":
      return normaliseParagraph(block);
    case "list":
      return normaliseList(block, depth);
    case "table":
      return normaliseTable(block, depth);
    case "code":
      return normaliseCodeBlock(block);
    case "formula":
      return normaliseFormulaBlock(block);
    case "image":
      return withCaption(withChanged(block, "alt", normaliseLine(block.alt)));
    case "quote": {
      const blocks = normaliseBlocks(block.blocks, depth + 1);
      return blocks.length === 0 ? nothing : withChanged(block, "blocks", blocks);
    }
    case "footnote":
      return normaliseFootnote(block, depth);
    default:
      return block;
  }
}

function normaliseHeading(block: Extract<Block, { readonly type: "heading" }>): Block | readonly Block[] {
  const inlines = unwrapStrong(normaliseInlines(block.inlines));
  const level = Math.max(1, Math.trunc(block.level) || 1);
  return inlines.length === 0 ? nothing : withChanged(withChanged(block, "inlines", inlines), "level", level);
}

// A heading is strong by itself; only a part of it can stand out.
function unwrapStrong(inlines: readonly Inline[]): readonly Inline[] {
  const [only] = inlines;
  const isAllStrong = inlines.length === 1 && typeof only === "object" && only.type === "strong";
  return isAllStrong ? only.inlines : inlines;
}

function normaliseParagraph(block: Paragraph): Block | readonly Block[] {
  const inlines = normaliseInlines(block.inlines);
  const [only] = inlines;
  if (only === undefined) return nothing;
  if (inlines.length > 1 || typeof only === "string" || only.type !== "image")
    return withChanged(block, "inlines", inlines);
  return block.source === undefined ? only : { ...only, source: block.source };
}

function normaliseList(list: List, depth: number): Block | readonly Block[] {
  const items = mapShared<ListItem>(list.items, (item) =>
    withChanged(item, "blocks", normaliseBlocks(item.blocks, depth + 1)),
  );
  const full = items.filter(({ blocks }) => blocks.length > 0);
  if (full.length === 0) return nothing;
  // The numbers of an ordered list count its empty items.
  const kept = list.ordered || full.length === items.length ? items : full;
  return withChanged(list, "items", kept);
}

function normaliseTable(table: Table, depth: number): Block | readonly Block[] {
  const rows = mapShared(table.rows, (row) => mapShared(row, (cell) => normaliseCell(cell, depth)));
  const captioned = withCaption(table);
  if (rows.every((row) => row.every(isEmptyCell)))
    return captioned.caption === undefined
      ? nothing
      : normaliseParagraph({ type: "paragraph", inlines: captioned.caption });
  const headerRowCount = Math.min(Math.max(Math.trunc(table.headerRowCount) || 0, 0), rows.length);
  return withChanged(withChanged(captioned, "rows", rows), "headerRowCount", headerRowCount);
}

function isEmptyCell(cell: TableCell): boolean {
  return typeof cell === "string" ? cell === "" : cell.blocks.length === 0;
}

function normaliseCell(cell: TableCell, depth: number): TableCell {
  if (typeof cell === "string") return normaliseLine(cell);
  const normal = withChanged(cell, "blocks", normaliseBlocks(cell.blocks, depth + 1));
  return isPlaced(normal) ? normal : (lineOf(normal) ?? normal);
}

function isPlaced({ rowSpan = 1, columnSpan = 1, isRowHeader = false }: RichCell): boolean {
  return rowSpan > 1 || columnSpan > 1 || isRowHeader;
}

/** The text of a cell that has nothing but one line of it. */
function lineOf({ blocks }: RichCell): string | undefined {
  const [only] = blocks;
  if (only === undefined) return "";
  const [line] = only.type === "paragraph" ? only.inlines : [];
  const isLine = blocks.length === 1 && only.type === "paragraph" && only.inlines.length === 1;
  return isLine && typeof line === "string" ? line : undefined;
}

// A note directly within a note stands after it, as it would on a page.
function normaliseFootnote(note: Footnote, depth: number): readonly Block[] | Block {
  const blocks = normaliseBlocks(note.blocks, depth + 1);
  const inner = blocks.filter(({ type }) => type === "footnote");
  if (inner.length === 0) return blocks.length === 0 ? nothing : withChanged(note, "blocks", blocks);
  const own = blocks.filter(({ type }) => type !== "footnote");
  return own.length === 0 ? inner : [{ ...note, blocks: own }, ...inner];
}

function normaliseCodeBlock(block: Extract<Block, { readonly type: "code" }>): Block | readonly Block[] {
  const text = normaliseCode(block.text);
  if (text === "") return nothing;
  const changed = withChanged(block, "text", text);
  if (block.language === undefined) return changed;
  const language = normaliseVerbatimLine(block.language)
    .trim()
    .toLowerCase()
    .replaceAll(/[\s`]+/g, "-");
  if (language !== "") return withChanged(changed, "language", language);
  const { language: _, ...rest } = changed;
  return rest;
}

function normaliseFormulaBlock(block: Extract<Block, { readonly type: "formula" }>): Block | readonly Block[] {
  const lines = normaliseCode(block.text)
    .split("\n")
    .map((line) => line.trimEnd());
  const text = lines.length === 1 ? normaliseFormula(lines[0] ?? "") : lines.join("\n").trim();
  return text === "" ? nothing : withChanged(block, "text", text);
}

function withCaption<TBlock extends { readonly caption?: readonly Inline[] }>(block: TBlock): TBlock {
  if (block.caption === undefined) return block;
  const caption = normaliseInlines(block.caption);
  if (caption.length > 0) return withChanged(block, "caption", caption);
  const { caption: _, ...rest } = block;
  return rest as TBlock;
}
