import type { Block, Table, TableCell } from "../document.ts";

/** Whether GFM can say what the table says: nothing spans, and cells hold at most paragraphs of inlines. */
export function isSimpleTable(table: Table): boolean {
  return table.rows.every((row) => row.every(isSimpleCell));
}

function isSimpleCell(cell: TableCell): boolean {
  if (typeof cell === "string") return true;
  return (cell.rowSpan ?? 1) <= 1 && (cell.columnSpan ?? 1) <= 1 && cell.blocks.every(isSimpleBlock);
}

function isSimpleBlock({ type }: Block): boolean {
  return type === "paragraph" || type === "formula" || type === "image" || type === "pageBreak";
}
