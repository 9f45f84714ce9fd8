import type { Block, RichCell, Table, TableCell, TableRow } from "../document/document.ts";
import type { OdfContext } from "./odf-context.ts";
import type { OdfElement } from "./odf-element.ts";
import type { ToBlocks } from "./odf-spans.ts";

/** Times that one row or cell of a text table may repeat itself. */
const maxRepeats = 1_000;
const maxColumns = 1_024;

interface RowElement {
  readonly element: OdfElement;
  readonly isHeader: boolean;
}

/** Reads a table of a text or a slide; empty rows and columns at its end are left out. */
export function readOdfTable(table: OdfElement, context: OdfContext, toBlocks: ToBlocks): Table | undefined {
  const elements = rowElements(table, false);
  const rows: TableRow[] = [];
  let headers = 0;
  for (const { element, isHeader } of elements) {
    const cells = readCells(element, toBlocks);
    const isEmpty = cells.every(({ blocks, rowSpan = 1 }) => blocks.length === 0 && rowSpan === 1);
    const repeats = isEmpty ? 1 : repeatsOf(element, "table:number-rows-repeated", maxRepeats);
    context.budget.takeTableCells(cells.length * repeats);
    if (isHeader) headers += repeats;
    for (let count = 0; count < repeats; count++) rows.push(cells.map(simplify));
  }
  while (rows.length > 0 && (rows.at(-1) as TableRow).every(isEmptyCell)) rows.pop();
  if (rows.length === 0) return undefined;
  const headerRowCount =
    headers > 0 ? Math.min(headers, rows.length) : hasHeadingStyles(elements[0]?.element, context) ? 1 : 0;
  return { type: "table", rows: trimColumns(rows), headerRowCount };
}

function rowElements(parent: OdfElement, isHeader: boolean): RowElement[] {
  return parent.elements().flatMap((element): RowElement[] => {
    switch (element.name) {
      case "table:table-row":
        return [{ element, isHeader }];
      case "table:table-header-rows":
        return rowElements(element, true);
      case "table:table-rows":
      case "table:table-row-group":
        return rowElements(element, isHeader);
      default:
        return [];
    }
  });
}

function readCells(row: OdfElement, toBlocks: ToBlocks): RichCell[] {
  const cells: RichCell[] = [];
  for (const element of row.elements("table:table-cell")) {
    const blocks = withoutLoneBullet(toBlocks(element));
    const rowSpan = repeatsOf(element, "table:number-rows-spanned", maxRepeats);
    const columnSpan = repeatsOf(element, "table:number-columns-spanned", maxColumns);
    const repeats = repeatsOf(element, "table:number-columns-repeated", maxColumns);
    const cell: RichCell = { blocks, ...(rowSpan > 1 && { rowSpan }), ...(columnSpan > 1 && { columnSpan }) };
    for (let count = 0; count < repeats && cells.length < maxColumns; count++) cells.push(cell);
  }
  return cells;
}

// Presentations made from other programs' files have a list of one item around the text of each cell.
function withoutLoneBullet(blocks: readonly Block[]): readonly Block[] {
  const [list] = blocks;
  const isLone = blocks.length === 1 && list?.type === "list" && !list.ordered && list.items.length === 1;
  const inner = isLone ? (list.items[0]?.blocks ?? []) : [];
  return inner.length === 1 && inner[0]?.type === "paragraph" ? inner : blocks;
}

function repeatsOf(element: OdfElement, attribute: string, max: number): number {
  const count = Number(element.get(attribute) ?? 1);
  return count >= 1 ? Math.min(max, Math.floor(count)) : 1;
}

function simplify(cell: RichCell): TableCell {
  const [only] = cell.blocks;
  if (cell.rowSpan !== undefined || cell.columnSpan !== undefined || cell.blocks.length > 1) return cell;
  if (only === undefined) return "";
  const isText = only.type === "paragraph" && only.inlines.length === 1 && typeof only.inlines[0] === "string";
  return isText ? (only.inlines[0] as string) : cell;
}

function isEmptyCell(cell: TableCell): boolean {
  return typeof cell === "string" ? cell === "" : cell.blocks.length === 0;
}

function trimColumns(rows: readonly TableRow[]): readonly TableRow[] {
  const hasSpans = rows.some((row) =>
    row.some((cell) => typeof cell !== "string" && ((cell.rowSpan ?? 1) > 1 || (cell.columnSpan ?? 1) > 1)),
  );
  if (hasSpans) return rows;
  const width = rows.reduce((widest, row) => Math.max(widest, row.findLastIndex((cell) => !isEmptyCell(cell)) + 1), 0);
  return rows.map((row) => row.slice(0, Math.max(1, width)));
}

// A row of paragraphs in the style for table headings is a head, though the file does not say so.
function hasHeadingStyles(row: OdfElement | undefined, { styles }: OdfContext): boolean {
  const paragraphs = (row?.elements("table:table-cell") ?? []).flatMap((cell) => cell.elements("text:p"));
  return (
    paragraphs.length > 0 &&
    paragraphs.every((paragraph) => styles.paragraphKind(paragraph.get("text:style-name")).type === "tableHeading")
  );
}

/** The words of a caption beside a table, when the block is one. */
export function attachCaption(table: Table, caption: Block): Table {
  return caption.type === "paragraph" && table.caption === undefined ? { ...table, caption: caption.inlines } : table;
}
