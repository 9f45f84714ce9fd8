import type { Block, Inline, RichCell, TableCell } from "../../document/document.ts";
import type { FlowWriter } from "./flow-writer.ts";
import { attribute, type HtmlElement } from "./html-node.ts";
import { collectRows, type RowElements, type TableParts } from "./table-parts.ts";
import { type DraftCell, placeCells } from "./place-cells.ts";

/** Writes a table; one that only arranges the page (`role=presentation`, or one cell a row) becomes what is in its cells. */
export function writeTable(element: HtmlElement, writer: FlowWriter): void {
  const parts = collectRows(element);
  writeStray(parts, writer);
  const rows = parts.rows.map((row) => ({ ...row, cells: row.cells.map((cell) => toDraft(cell, writer)) }));
  const caption = captionOf(parts, writer);
  const isGridKept = isBareTable(element) && rows.some(hasContent);
  const kept = isGridKept ? rows : mergeEmptyRows(rows.filter((row) => hasContent(row) || spansRows(row)));
  if (isLayout(element, parts, kept)) return writeUnfolded(caption, kept, writer);
  const { places, cellCount } = placeCells(
    kept.map(({ cells }) => cells),
    isGridKept,
  );
  writer.page.budget.takeTableCells(cellCount);
  const headerRowCount = countHeaderRows(kept);
  const tableRows = places.map((cells, index) => cells.map((cell) => toCell(cell, index < headerRowCount)));
  writer.block({ type: "table", rows: tableRows, headerRowCount, ...(caption.length > 0 && { caption }) });
}

type DraftRow = Omit<RowElements, "cells"> & { readonly cells: readonly DraftCell[] };

function hasContent({ cells }: DraftRow): boolean {
  return cells.some(({ blocks }) => blocks.length > 0);
}

function spansRows({ cells }: DraftRow): boolean {
  return cells.some(({ rowSpan }) => rowSpan > 1);
}

const maxWaitingCells = 8;

// A row in which every cell goes on in the next has nothing of its own: its cells begin in the next row. Honest tables do so
// with the few headings of a group of rows.
function mergeEmptyRows(rows: readonly DraftRow[]): DraftRow[] {
  const merged: DraftRow[] = [];
  let waiting: readonly DraftCell[] = [];
  for (const [index, row] of rows.entries()) {
    const cells = [...waiting, ...row.cells];
    const canWait = cells.length <= maxWaitingCells && rows[index + 1]?.isInHead === row.isInHead;
    const goesOn = canWait && row.cells.every(({ rowSpan }) => rowSpan > 1);
    waiting = goesOn ? cells.map((cell) => ({ ...cell, rowSpan: cell.rowSpan - 1 })) : [];
    if (!goesOn) merged.push({ ...row, cells });
  }
  return merged;
}

function toDraft(element: HtmlElement, writer: FlowWriter): DraftCell {
  const scope = attribute(element, "scope").toLowerCase();
  return {
    isHeader: element.name === "th",
    isRowHeader: scope === "row" || scope === "rowgroup" || (element.name === "th" && !scope.startsWith("col")),
    rowSpan: spanOf(element, "rowspan", 65_534),
    columnSpan: Math.max(1, spanOf(element, "colspan", 1000)),
    blocks: writer.contentOf(element),
  };
}

// `rowspan="0"` reaches to the end of the table; the bounds are those of the HTML standard.
function spanOf(element: HtmlElement, name: string, most: number): number {
  const value = /^\+?(\d{1,9})/.exec(attribute(element, name))?.[1];
  if (value === undefined) return 1;
  const span = Math.min(Number(value), most);
  return span === 0 && name === "rowspan" ? most : span;
}

// Text between the tags of a table stands before it, as browsers show it.
function writeStray({ stray }: TableParts, writer: FlowWriter): void {
  writer.flush();
  for (const node of stray) {
    if (typeof node === "string") writer.text(node);
    else writer.page.writeElement(node, writer);
  }
  writer.flush();
}

function captionOf({ captions }: TableParts, writer: FlowWriter): Inline[] {
  const inlines: Inline[] = [];
  for (const element of captions) {
    const inner = writer.child();
    inner.writeChildren(element);
    for (const block of inner.finish()) {
      const line = lineOf(block);
      if (line.length > 0 && inlines.length > 0) inlines.push(" ");
      for (const inline of line) inlines.push(inline);
    }
  }
  return inlines;
}

function lineOf(block: Block): readonly Inline[] {
  if (block.type === "paragraph" || block.type === "heading") return block.inlines;
  return block.type === "formula" ? [block] : [];
}

function isLayout(element: HtmlElement, parts: TableParts, rows: readonly DraftRow[]): boolean {
  const role = attribute(element, "role").toLowerCase();
  if (role === "presentation" || role === "none" || rows.length === 0) return true;
  const cells = rows.flatMap((row) => row.cells);
  if (parts.captions.length > 0 || cells.some(({ isHeader }) => isHeader)) return false;
  if (rows.every((row) => row.cells.filter(({ blocks }) => blocks.length > 0).length <= 1))
    return !isBareTable(element);
  const border = attribute(element, "border");
  return (rows.length === 1 && (border === "" || border === "0")) || isFrame(rows);
}

// Layouts set widths and borders; a table that only names its body, as programs write it, is one: even of a single column, and
// its empty rows and columns have their place.
function isBareTable({ attributes, children }: HtmlElement): boolean {
  return attributes.size === 0 && children.some((child) => typeof child !== "string" && child.name === "tbody");
}

// Few cells, each a page of its own: columns of a layout.
function isFrame(rows: readonly DraftRow[]): boolean {
  const filled = rows.flatMap(({ cells }) => cells).filter(({ blocks }) => blocks.length > 0);
  const large = filled.filter(({ blocks }) => blocks.length > 8 || blocks.some(isStructure));
  return rows.length <= 2 && large.length > 0 && large.length >= filled.length / 2;
}

function isStructure(block: Block): boolean {
  return block.type === "table" && block.rows.length > 3;
}

function writeUnfolded(caption: readonly Inline[], rows: readonly DraftRow[], writer: FlowWriter): void {
  writer.flush();
  if (caption.length > 0) writer.block({ type: "paragraph", inlines: caption });
  for (const block of rows.flatMap(({ cells }) => cells.flatMap(({ blocks }) => blocks))) writer.block(block);
}

// Rows of `thead`, or else the first rows made of nothing but `th`.
function countHeaderRows(rows: readonly DraftRow[]): number {
  let count = 0;
  while (count < rows.length && isHeaderRow(rows[count] as DraftRow)) count++;
  return count;
}

function isHeaderRow({ isInHead, cells }: DraftRow): boolean {
  if (isInHead) return true;
  const filled = cells.filter(({ blocks }) => blocks.length > 0);
  return filled.length > 1 && filled.every(({ isHeader }) => isHeader);
}

function toCell(cell: DraftCell, isInHeaderRow: boolean): TableCell {
  const isRowHeader = cell.isHeader && cell.isRowHeader && !isInHeaderRow;
  const text = cell.rowSpan > 1 || cell.columnSpan > 1 || isRowHeader ? undefined : plainText(cell.blocks);
  if (text !== undefined) return text;
  const rich: RichCell = {
    blocks: cell.blocks,
    ...(cell.rowSpan > 1 && { rowSpan: cell.rowSpan }),
    ...(cell.columnSpan > 1 && { columnSpan: cell.columnSpan }),
    ...(isRowHeader && { isRowHeader: true }),
  };
  return rich;
}

function plainText(blocks: readonly Block[]): string | undefined {
  const [block] = blocks;
  if (block === undefined) return "";
  if (blocks.length > 1 || block.type !== "paragraph" || block.inlines.length > 1) return undefined;
  const [text] = block.inlines;
  return typeof text === "string" ? text : undefined;
}
