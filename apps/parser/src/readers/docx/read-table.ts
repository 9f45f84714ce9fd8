import type { OpcElement } from "../../containers/opc-element.ts";
import { type SpannedCell, wordTable } from "../../containers/word-tables.ts";
import type { Block } from "../../document/document.ts";
import { isTrue, toInteger } from "./styles.ts";
import type { Story } from "./word-reading.ts";

/** Columns of one table; Word itself stops at 63. */
const maxColumns = 1_024;

/**
 * A table (ECMA-376 part 1 §17.4). A table of one cell is a frame around its content, which is returned instead.
 * @throws AppError `LIMIT_EXCEEDED` for too many cells, those that spans cover included.
 */
export function readTable(element: OpcElement, story: Story): Block[] {
  const rows: SpannedCell[][] = [];
  // The cell that each column would join by a vertical merge.
  let mergeable = new Map<number, SpannedCell>();
  let headerRowCount = 0;
  for (const row of rowsOf(element, story)) {
    const read = readRow(row, { story, mergeable });
    mergeable = read.mergeable;
    if (isHeaderRow(row) && headerRowCount === rows.length) headerRowCount++;
    rows.push(read.cells);
  }
  if (headerRowCount === 0 && rows.length > 1 && marksFirstRow(element)) headerRowCount = 1;
  return wordTable(rows, headerRowCount);
}

// Rows and cells may lie inside content controls and custom XML.
function rowsOf(element: OpcElement, story: Story): OpcElement[] {
  return partsOf(element, "w:tr").filter((row) => {
    const isDeleted = row.path("w:trPr", "w:del") !== undefined;
    if (isDeleted) story.reading.count("deleted");
    return !isDeleted && row.descendant("w:tc") !== undefined;
  });
}

function partsOf(element: OpcElement, name: string): OpcElement[] {
  return element
    .elements()
    .flatMap((child) => (child.name === name ? [child] : wrappers.has(child.name) ? partsOf(child, name) : []));
}

const wrappers: ReadonlySet<string> = new Set([
  "w:sdt",
  "w:sdtContent",
  "w:customXml",
  "w:ins",
  "w:moveTo",
  "w:smartTag",
]);

interface RowPlace {
  readonly story: Story;
  readonly mergeable: ReadonlyMap<number, SpannedCell>;
}

interface ReadRow {
  readonly cells: SpannedCell[];
  readonly mergeable: Map<number, SpannedCell>;
}

function readRow(row: OpcElement, { story, mergeable }: RowPlace): ReadRow {
  const cells: SpannedCell[] = [];
  const nextMergeable = new Map<number, SpannedCell>();
  const properties = row.child("w:trPr");
  let column = skipColumns(properties?.child("w:gridBefore"), { cells, mergeable, story });
  for (const element of partsOf(row, "w:tc")) {
    const cellProperties = element.child("w:tcPr");
    if (continuesLeft(cellProperties)) continue;
    const columnSpan = spanOf(cellProperties?.child("w:gridSpan"), column);
    story.reading.context.budget.takeTableCells(columnSpan);
    const above = joinAbove(cellProperties, mergeable.get(column));
    if (above !== undefined) tellHiddenText(element, story);
    const cell = above ?? openCell(element, columnSpan, story);
    if (above === undefined) cells.push(cell);
    if (cellProperties?.child("w:vMerge") !== undefined) nextMergeable.set(column, cell);
    column += columnSpan;
  }
  skipColumns(properties?.child("w:gridAfter"), { cells, mergeable, story });
  return { cells, mergeable: nextMergeable };
}

// Word does not show what a cell merged into the one above holds.
function tellHiddenText(cell: OpcElement, story: Story): void {
  if (cell.text.trim() !== "") story.reading.count("hidden");
}

// Columns left free before the first or after the last cell are empty cells.
function skipColumns(element: OpcElement | undefined, { cells, story }: RowPlace & { cells: SpannedCell[] }): number {
  const columns = spanOf(element, 0, 0);
  story.reading.context.budget.takeTableCells(columns);
  for (let column = 0; column < columns; column++) cells.push({ blocks: [], columnSpan: 1, rowSpan: 1 });
  return columns;
}

function openCell(element: OpcElement, columnSpan: number, story: Story): SpannedCell {
  return { blocks: story.readBlocks(element, { isInTable: true }), columnSpan, rowSpan: 1 };
}

function joinAbove(properties: OpcElement | undefined, above: SpannedCell | undefined): SpannedCell | undefined {
  const merge = properties?.child("w:vMerge");
  if (merge === undefined || merge.get("w:val") === "restart" || above === undefined) return undefined;
  above.rowSpan++;
  return above;
}

// Older files mark cells merged with the one to the left in place of a span.
function continuesLeft(properties: OpcElement | undefined): boolean {
  const merge = properties?.child("w:hMerge");
  return merge !== undefined && merge.get("w:val") !== "restart";
}

function spanOf(element: OpcElement | undefined, column: number, absent = 1): number {
  const span = toInteger(element?.get("w:val")) ?? absent;
  return Math.max(absent, Math.min(span, maxColumns - column));
}

// The style's first-row look, which Word's own tables have for their header.
function marksFirstRow(table: OpcElement): boolean {
  const look = table.path("w:tblPr", "w:tblLook");
  const flag = look?.get("w:firstRow");
  if (flag !== undefined) return isTrue(flag);
  return (Number.parseInt(look?.get("w:val") ?? "0", 16) & 0x20) !== 0;
}

function isHeaderRow(row: OpcElement): boolean {
  const mark = row.path("w:trPr", "w:tblHeader");
  return mark !== undefined && isTrue(mark.get("w:val") ?? "1");
}
