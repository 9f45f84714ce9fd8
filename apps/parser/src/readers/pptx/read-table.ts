import type { OpcElement } from "../../containers/opc-element.ts";
import type { Block, TableCell, TableRow } from "../../document/document.ts";
import { toBlocks } from "../slide-lines.ts";
import { readLines } from "./read-text.ts";
import type { PresentationReading, SlidePart } from "./slide-reading.ts";
import { TextStyles } from "./text-styles.ts";

/** Columns and rows of one table. */
const maxSpan = 1_024;

interface TableOwner {
  readonly slide: SlidePart;
  readonly reading: PresentationReading;
}

/** A DrawingML table (`a:tbl`, ECMA-376 part 1 §21.1.3). @throws AppError `LIMIT_EXCEEDED` for too many cells. */
export function readTable(table: OpcElement, owner: TableOwner): Block[] {
  const elements = table.elements("a:tr");
  const rows = elements.map((row, index) => readRow(row, elements.length - index, owner));
  if (rows.every((row) => row.every((cell) => cell === ""))) return [];
  const marksFirst = table.child("a:tblPr")?.get("firstRow");
  const headerRowCount = isOn(marksFirst) && rows.length > 1 ? 1 : 0;
  return [{ type: "table", rows, headerRowCount: reachOfHeader(rows, headerRowCount) }];
}

// Cells of the header that span further rows make those headers too, unless nothing would be left of the body.
function reachOfHeader(rows: readonly TableRow[], headerRowCount: number): number {
  const spans = rows.slice(0, headerRowCount).flatMap((cells) => cells.map((cell) => rowSpanOf(cell)));
  const reach = headerRowCount === 0 ? 0 : spans.reduce((most, span) => Math.max(most, span), headerRowCount);
  return reach < rows.length ? reach : headerRowCount;
}

function rowSpanOf(cell: TableCell): number {
  return typeof cell === "string" ? 1 : (cell.rowSpan ?? 1);
}

// Places that a span covers have cells of their own, marked as merged.
function readRow(row: OpcElement, rowsLeft: number, { slide, reading }: TableOwner): TableRow {
  const cells: TableCell[] = [];
  const elements = row.elements("a:tc");
  for (const [index, element] of elements.entries()) {
    reading.context.budget.takeTableCells(1);
    if (isOn(element.get("hMerge")) || isOn(element.get("vMerge"))) continue;
    const columnSpan = spanOf(element.get("gridSpan"), elements.length - index);
    const rowSpan = spanOf(element.get("rowSpan"), rowsLeft);
    const body = element.child("a:txBody");
    const styles = new TextStyles(body, undefined, slide);
    const blocks = toBlocks(readLines(body, { relationships: slide.relationships, styles, reading }));
    cells.push(toCell(blocks, columnSpan, rowSpan));
  }
  return cells;
}

function toCell(blocks: Block[], columnSpan: number, rowSpan: number): TableCell {
  const [only] = blocks;
  if (columnSpan === 1 && rowSpan === 1) {
    if (only === undefined) return "";
    const text =
      blocks.length === 1 && only.type === "paragraph" && only.inlines.length === 1 ? only.inlines[0] : undefined;
    if (typeof text === "string") return text;
  }
  return { blocks, ...(columnSpan > 1 && { columnSpan }), ...(rowSpan > 1 && { rowSpan }) };
}

function spanOf(text: string | undefined, most: number): number {
  const span = Number.parseInt(text ?? "1", 10);
  return Number.isSafeInteger(span) ? Math.max(1, Math.min(span, most, maxSpan)) : 1;
}

function isOn(value: string | undefined): boolean {
  return value === "1" || value === "true";
}
