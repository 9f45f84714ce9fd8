import type { Block, Document, Inline, Table, TableCell } from "../../apps/parser/src/document/document.ts";
import { type FlatCell, type FlatDocument, push } from "./pandoc-native-blocks.ts";

/** A document of our model flattened as `flattenNative` flattens pandoc's. */
export function flattenDocument({ blocks }: Document): FlatDocument {
  const flat: FlatDocument = { blocks: [], tables: [] };
  const notes = new Map(
    blocks.flatMap((block) => (block.type === "footnote" ? [[block.id, block.blocks] as const] : [])),
  );
  flattenAll(blocks, { flat, notes, kind: "paragraph" });
  return flat;
}

interface FlatTarget {
  readonly flat: FlatDocument;
  readonly notes: Map<string, readonly Block[]>;
  readonly kind: string;
}

function flattenAll(blocks: readonly Block[], target: FlatTarget): void {
  for (const block of blocks) flattenBlock(block, target);
}

function flattenBlock(block: Block, target: FlatTarget): void {
  const { flat, notes, kind } = target;
  switch (block.type) {
    case "heading":
      return pushText(block.inlines, { ...target, kind: `h${Math.min(6, block.level)}` });
    case "paragraph":
      return pushText(block.inlines, target);
    case "list":
      return block.items.forEach((item) => flattenAll(item.blocks, { flat, notes, kind: "item" }));
    case "table":
      return flattenTable(block, target);
    case "code":
      return push(flat, "code", block.text);
    case "formula":
      return push(flat, kind, block.text);
    case "quote":
      return flattenAll(block.blocks, { flat, notes, kind: "quote" });
    case "image":
      return pushText(block.caption ?? [], { ...target, kind: "paragraph" });
    case "footnote":
    case "pageBreak":
      return undefined;
  }
}

// Notes come after the block that refers to them first.
function pushText(inlines: readonly Inline[], target: FlatTarget): void {
  const ids: string[] = [];
  push(target.flat, target.kind, textOf(inlines, ids));
  for (const id of ids) {
    const blocks = target.notes.get(id) ?? [];
    target.notes.delete(id);
    flattenAll(blocks, { ...target, kind: "note" });
  }
}

function textOf(inlines: readonly Inline[], ids: string[]): string {
  return inlines.map((inline) => textOfInline(inline, ids)).join("");
}

function textOfInline(inline: Inline, ids: string[]): string {
  if (typeof inline === "string") return inline;
  if ("inlines" in inline) return textOf(inline.inlines, ids);
  if (inline.type === "lineBreak") return " ";
  if (inline.type === "noteReference") ids.push(inline.id);
  return inline.type === "code" || inline.type === "formula" ? inline.text : "";
}

function flattenTable(table: Table, target: FlatTarget): void {
  if (table.caption !== undefined) pushText(table.caption, { ...target, kind: "paragraph" });
  const cells = placeCells(table);
  target.flat.tables.push(cells.filter(({ text }) => text !== ""));
  push(target.flat, "table", cells.map(({ text }) => text).join(" "));
}

function placeCells({ rows }: Table): FlatCell[] {
  const taken = new Set<string>();
  return rows.flatMap((cells, row) => {
    let column = 0;
    return cells.map((cell) => {
      while (taken.has(`${row} ${column}`)) column++;
      const { rowSpan = 1, columnSpan = 1 } = typeof cell === "string" ? {} : cell;
      for (let below = 0; below < rowSpan; below++) {
        for (let right = 0; right < columnSpan; right++) taken.add(`${row + below} ${column + right}`);
      }
      return { row, column, text: textOfCell(cell), rowSpan, columnSpan };
    });
  });
}

function textOfCell(cell: TableCell): string {
  const flat: FlatDocument = { blocks: [], tables: [] };
  if (typeof cell === "string") push(flat, "cell", cell);
  else flattenAll(cell.blocks, { flat, notes: new Map(), kind: "cell" });
  return withoutMarks(flat.blocks.map(({ text }) => text).join(" "));
}

// In a cell of a GFM table a list or a heading can only be written out, and truth and peers do so, each with marks of its own.
function withoutMarks(text: string): string {
  return text.replaceAll(/(?<=^|\s)(?:[-*•]|#{1,6}|\d{1,3}\.)\s+/g, "");
}
