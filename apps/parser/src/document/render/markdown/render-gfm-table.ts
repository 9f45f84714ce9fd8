import type { Block, Inline, List, ListItem, PageBreak, Table, TableCell, TableRow } from "../../document.ts";
import { flattenSpans } from "../table-grid.ts";
import type { InlinePlace } from "./escape-text.ts";
import { renderInlines, renderText } from "./render-inlines.ts";

const place: InlinePlace = { kind: "cell" };

/**
 * A GFM table, its first row as the header that GFM requires. Spans become empty cells, blocks in cells lines with `<br>`.
 * Empty when no cell has any text.
 */
export function renderGfmTable(table: Table): string {
  const rows = flattenSpans(table).map((row) => row.map(renderCell));
  const columnCount = rows.reduce((count, row) => Math.max(count, row.length), 0);
  if (!rows.some((row) => row.some((cell) => cell !== ""))) return "";
  const [header = [], ...body] = rows;
  const bodyWidth = paddedWidth(rows, columnCount);
  const lines = [renderRow(header, columnCount), `|${" --- |".repeat(columnCount)}`];
  for (const row of body) lines.push(renderRow(row, bodyWidth));
  return lines.join("\n");
}

// GFM adds the cells that a short row lacks; rows are padded for the reader's eye unless that would multiply the table.
function paddedWidth(rows: readonly (readonly string[])[], columnCount: number): number {
  const cellCount = rows.reduce((count, row) => count + row.length, 0);
  return columnCount * rows.length <= 4 * cellCount + 10_000 ? columnCount : 1;
}

function renderRow(cells: readonly string[], width: number): string {
  const line = `| ${cells.join(" | ")} |`;
  return cells.length >= width ? line : line + "  |".repeat(width - Math.max(cells.length, 1));
}

function renderCell(cell: TableCell): string {
  return typeof cell === "string" ? renderText(cell, place) : renderLines(cell.blocks).join("<br>");
}

function renderLines(blocks: readonly Block[]): string[] {
  return blocks.flatMap(renderBlockLines).filter(Boolean);
}

function renderBlockLines(block: Block): string[] {
  switch (block.type) {
    case "list":
      return block.items.flatMap((item, index) => renderItemLines(item, labelOf(block, index)));
    case "table":
      return [renderInlines(block.caption ?? [], place), ...block.rows.map(renderNestedRow)];
    case "quote":
      return renderLines(block.blocks);
    case "footnote":
      return renderLines(block.blocks).map((line, index) =>
        index === 0 ? `${renderNoteMark(block.id)} ${line}` : line,
      );
    case "pageBreak":
      return [];
    default:
      return renderLeafLines(block);
  }
}

type LeafBlock = Exclude<Block, List | Table | PageBreak | { readonly blocks: readonly Block[] }>;

function renderLeafLines(block: LeafBlock): string[] {
  switch (block.type) {
    case "heading":
    case "paragraph":
      return [renderInlines(block.inlines, place)];
    case "code":
      return block.text
        .split("\n")
        .map((line) => (line.trim() === "" ? "" : renderInlines([{ type: "code", text: line }], place)));
    case "formula":
      return [renderInlines([{ ...block, type: "formula" }], place)];
    case "image":
    default:
      return [renderInlines([{ ...block, type: "image" }], place), renderInlines(block.caption ?? [], place)];
  }
}

function labelOf({ ordered, start }: List, index: number): string {
  return ordered ? `${(start ?? 1) + index}. ` : "- ";
}

function renderItemLines({ blocks, isChecked }: ListItem, label: string): string[] {
  const box = isChecked === undefined ? "" : isChecked ? "[x] " : "[ ] ";
  return renderLines(blocks).map((line, index) => (index === 0 ? label + box + line : line));
}

function renderNestedRow(row: TableRow): string {
  return row.map(renderCell).join(", ");
}

function renderNoteMark(id: string): string {
  const mark: Inline = { type: "superscript", inlines: [id] };
  return renderInlines([mark], place);
}
