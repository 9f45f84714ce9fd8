import type { Block, RichCell, TableCell } from "../../document/document.ts";
import type { Budget } from "../../limits/budget.ts";

/** A cell with the place that the file gives it. */
export interface PlacedCell {
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
  readonly isHeader: boolean;
  readonly blocks: readonly Block[];
}

const maxColumns = 1_024;
const maxRows = 65_535;

/**
 * Cells as a table; those that claim the place of another one, or a place outside of any table, stand below it.
 * @throws AppError `LIMIT_EXCEEDED` for too many cells.
 */
export function placeCells(cells: readonly PlacedCell[], budget: Budget): Block[] {
  const [only] = cells;
  // A table of one cell is a frame around text.
  if (only !== undefined && cells.length === 1) return [...only.blocks];
  const inside = cells.filter(({ row, column }) => row < maxRows && column < maxColumns);
  const columnCount = Math.min(
    maxColumns,
    inside.reduce((most, { column, columnSpan }) => Math.max(most, column + columnSpan), 0),
  );
  const rowCount = inside.reduce((most, { row }) => Math.max(most, row + 1), 0);
  budget.takeTableCells(columnCount * rowCount);
  const grid = new Grid(columnCount, rowCount);
  const left = cells.filter((cell) => !grid.place(cell));
  const headerRowCount = countHeaderRows(inside, rowCount);
  return [{ type: "table", rows: grid.rows(), headerRowCount }, ...left.flatMap(({ blocks }) => [...blocks])];
}

function countHeaderRows(cells: readonly PlacedCell[], rowCount: number): number {
  const headers = cells.filter(({ isHeader }) => isHeader);
  const count = headers.reduce((most, { row, rowSpan }) => Math.max(most, row + rowSpan), 0);
  return count < rowCount ? count : 0;
}

class Grid {
  readonly #columnCount: number;
  readonly #rowCount: number;
  readonly #isCovered: Uint8Array;
  readonly #corners = new Map<number, TableCell>();

  constructor(columnCount: number, rowCount: number) {
    this.#columnCount = columnCount;
    this.#rowCount = rowCount;
    this.#isCovered = new Uint8Array(columnCount * rowCount);
  }

  place(cell: PlacedCell): boolean {
    const { row, column } = cell;
    if (row >= this.#rowCount || column >= this.#columnCount) return false;
    const columnSpan = Math.max(1, Math.min(cell.columnSpan, this.#columnCount - column));
    const rowSpan = Math.max(1, Math.min(cell.rowSpan, this.#rowCount - row));
    const spans = Array.from({ length: rowSpan }, (_, index) => {
      const begin = (row + index) * this.#columnCount + column;
      return this.#isCovered.subarray(begin, begin + columnSpan);
    });
    if (spans.some((span) => span.includes(1))) return false;
    for (const span of spans) span.fill(1);
    this.#corners.set(row * this.#columnCount + column, toCell(cell.blocks, rowSpan, columnSpan));
    return true;
  }

  rows(): TableCell[][] {
    return Array.from({ length: this.#rowCount }, (_, row) =>
      Array.from({ length: this.#columnCount }, (__, column) => row * this.#columnCount + column).flatMap((place) => {
        const corner = this.#corners.get(place);
        if (corner !== undefined) return [corner];
        return this.#isCovered[place] === 0 ? [""] : [];
      }),
    );
  }
}

function toCell(blocks: readonly Block[], rowSpan: number, columnSpan: number): TableCell {
  const [only] = blocks;
  const rich: RichCell = { blocks, ...(rowSpan > 1 && { rowSpan }), ...(columnSpan > 1 && { columnSpan }) };
  if (rowSpan > 1 || columnSpan > 1 || blocks.length > 1) return rich;
  if (only === undefined) return "";
  const text = only.type === "paragraph" && only.inlines.length === 1 ? only.inlines[0] : undefined;
  return typeof text === "string" ? text : rich;
}
