import type { Block, List, ListItem, RichCell, Table, TableCell, TableRow } from "../../document.ts";
import { spanOf } from "../table-grid.ts";
import { escapeHtml } from "./escape-html.ts";
import { renderHtmlImage, renderHtmlInlines, renderHtmlText } from "./render-html-inlines.ts";

/**
 * A table in HTML, one line a row and no blank line inside, so that it is one block of HTML in Markdown. Several blocks in
 * a cell are separated by line breaks; only text-level tags, lists, check boxes and nested tables occur in cells.
 */
export function renderHtmlTable(table: Table): string {
  const headerCount = Math.min(Math.max(table.headerRowCount, 0), table.rows.length);
  const rows = table.rows.map((row, index) =>
    renderRow(row, {
      isHeader: index < headerCount,
      rowsLeft: (index < headerCount ? headerCount : table.rows.length) - index,
    }),
  );
  if (!hasContent(table)) return "";
  const head = rows.slice(0, headerCount).join("\n");
  const body = rows.slice(headerCount).join("\n");
  return [
    "<table>",
    ...(head === "" ? [] : [`<thead>\n${head}\n</thead>`]),
    ...(body === "" ? [] : [`<tbody>\n${body}\n</tbody>`]),
    "</table>",
  ].join("\n");
}

function hasContent(table: Table): boolean {
  return table.rows.some((row) =>
    row.some((cell) => (typeof cell === "string" ? cell.trim() !== "" : cell.blocks.length > 0)),
  );
}

interface RowPlace {
  readonly isHeader: boolean;
  readonly rowsLeft: number;
}

function renderRow(row: TableRow, place: RowPlace): string {
  return `<tr>${row.map((cell) => renderCell(cell, place)).join("")}</tr>`;
}

function renderCell(cell: TableCell, { isHeader, rowsLeft }: RowPlace): string {
  const tag = isHeader ? "th" : "td";
  if (typeof cell === "string") return `<${tag}>${renderHtmlText(cell)}</${tag}>`;
  const name = cell.isRowHeader === true ? "th" : tag;
  return `<${name}${spanAttributes(cell, rowsLeft)}>${renderCellBlocks(cell.blocks)}</${name}>`;
}

function spanAttributes(cell: RichCell, rowsLeft: number): string {
  const { rows, columns } = spanOf(cell, rowsLeft);
  return `${rows > 1 ? ` rowspan="${rows}"` : ""}${columns > 1 ? ` colspan="${columns}"` : ""}`;
}

function renderCellBlocks(blocks: readonly Block[]): string {
  return blocks.map(renderCellBlock).filter(Boolean).join("<br>");
}

function renderCellBlock(block: Block): string {
  switch (block.type) {
    case "heading":
      return `<strong>${renderHtmlInlines(block.inlines)}</strong>`;
    case "paragraph":
      return renderHtmlInlines(block.inlines);
    case "list":
      return renderList(block);
    case "table":
      return renderHtmlTable(block).replaceAll("\n", "");
    case "code":
      return `<code>${escapeHtml(block.text).replaceAll("\n", "<br>")}</code>`;
    case "formula":
      return renderHtmlInlines([{ ...block, type: "formula" }]);
    case "image":
      return [renderHtmlImage({ ...block, type: "image" }), renderHtmlInlines(block.caption ?? [])]
        .filter(Boolean)
        .join("<br>");
    case "quote":
    case "footnote":
      return renderCellBlocks(block.blocks);
    case "pageBreak":
    default:
      return "";
  }
}

function renderList({ ordered, start, items }: List): string {
  const tag = ordered ? "ol" : "ul";
  const from = ordered && start !== undefined && start !== 1 ? ` start="${Math.trunc(start) || 0}"` : "";
  return `<${tag}${from}>${items.map(renderItem).join("")}</${tag}>`;
}

function renderItem({ blocks, isChecked }: ListItem): string {
  const box = isChecked === undefined ? "" : `<input type="checkbox" disabled${isChecked ? " checked" : ""}> `;
  return `<li>${box}${renderCellBlocks(blocks)}</li>`;
}
