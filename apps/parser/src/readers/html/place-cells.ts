import type { Block } from "../../document/document.ts";

/** A cell as the page has it, before its place in the grid is known. */
export interface DraftCell {
  readonly isHeader: boolean;
  readonly isRowHeader: boolean;
  readonly rowSpan: number;
  readonly columnSpan: number;
  readonly blocks: readonly Block[];
}

export interface PlacedCells {
  /** The cells of each row, spans cut to the table and to the columns that any cell begins in. */
  readonly places: readonly (readonly DraftCell[])[];
  /** Places of the grid. */
  readonly cellCount: number;
}

interface Anchor {
  readonly cell: DraftCell;
  readonly row: number;
  readonly column: number;
}

const maxColumns = 20_000;

/**
 * Lays cells out as the HTML standard does (4.9.12) and, unless the grid is kept, drops columns in which no cell with content
 * begins: pages often span more columns than they have, and use empty ones for space.
 */
export function placeCells(rows: readonly (readonly DraftCell[])[], isGridKept: boolean): PlacedCells {
  const anchors = findAnchors(rows);
  const columns = isGridKept ? allColumns(anchors) : filledColumns(anchors);
  const places: DraftCell[][] = rows.map(() => []);
  for (const { cell, row, column } of anchors) {
    const columnSpan = countBelow(columns, column + cell.columnSpan) - countBelow(columns, column);
    if (columnSpan > 0) places[row]?.push({ ...cell, columnSpan, rowSpan: Math.min(cell.rowSpan, rows.length - row) });
  }
  return { places, cellCount: columns.length * rows.length };
}

function filledColumns(anchors: readonly Anchor[]): number[] {
  const filled = anchors.filter(({ cell }) => cell.blocks.length > 0);
  return [...new Set(filled.map(({ column }) => column))].sort((a, b) => a - b);
}

// Columns behind the last in which a cell begins are only spanned and tell nothing.
function allColumns(anchors: readonly Anchor[]): number[] {
  const count = anchors.reduce((most, { column }) => Math.max(most, column + 1), 0);
  return Array.from({ length: count }, (_, column) => column);
}

// For each column, the row below the last that a span from above covers.
function findAnchors(rows: readonly (readonly DraftCell[])[]): Anchor[] {
  const coveredUntil: number[] = [];
  const anchors: Anchor[] = [];
  for (const [row, cells] of rows.entries()) {
    let column = 0;
    for (const cell of cells) {
      while ((coveredUntil[column] ?? 0) > row) column++;
      if (column >= maxColumns) break;
      anchors.push({ cell, row, column });
      const end = Math.min(rows.length, row + cell.rowSpan);
      for (let covered = column; covered < column + cell.columnSpan; covered++) coveredUntil[covered] = end;
      column += cell.columnSpan;
    }
  }
  return anchors;
}

/** How many of the ascending `values` are less than `bound`. */
function countBelow(values: readonly number[], bound: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
