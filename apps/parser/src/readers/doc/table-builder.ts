import { type SpannedCell, wordTable } from "../../containers/word-tables.ts";
import type { Block } from "../../document/document.ts";
import type { CellDefinition, RowDefinition } from "./row-definition.ts";
import type { WordReading } from "./word-reading.ts";

export interface TableRowContent {
  readonly cells: readonly (readonly Block[])[];
  readonly definition: RowDefinition;
}

/** Edges closer than this, in twentieths of a point, are the same. */
const edgeTolerance = 30;

/** A table from its rows: spans follow from the edges of cells, and from what they say of joining others. */
export function buildTable(rows: readonly TableRowContent[], reading: WordReading): Block[] {
  const grid = new Grid(rows.map(({ definition }) => definition));
  // The cell that each column would join by a vertical merge.
  let above = new Map<number, SpannedCell>();
  const placed: SpannedCell[][] = [];
  let headerRowCount = 0;
  for (const row of rows) {
    const next = new Map<number, SpannedCell>();
    placed.push(placeRow(row, { grid, above, next, reading }));
    above = next;
    if (row.definition.isHeader && headerRowCount === placed.length - 1) headerRowCount++;
  }
  const hasHeaderLook = rows[0]?.definition.hasHeaderLook === true && rows.length > 1;
  return wordTable(placed, headerRowCount === 0 && hasHeaderLook ? 1 : headerRowCount);
}

interface RowPlace {
  readonly grid: Grid;
  readonly above: ReadonlyMap<number, SpannedCell>;
  readonly next: Map<number, SpannedCell>;
  readonly reading: WordReading;
}

function placeRow({ cells, definition }: TableRowContent, place: RowPlace): SpannedCell[] {
  const { grid, reading } = place;
  // Rows whose cells are not all defined stand one after the other.
  const isPlaced = definition.cells.length === cells.length;
  const row: SpannedCell[] = [];
  let column = isPlaced ? grid.columnOf(definition.left) : 0;
  addEmpty(row, column, reading);
  let left: SpannedCell | undefined;
  for (const [index, blocks] of cells.entries()) {
    const cell = isPlaced ? definition.cells[index] : undefined;
    const end = cell === undefined ? column + 1 : grid.columnOf(cell.right);
    const columnSpan = Math.max(1, end - column);
    reading.context.budget.takeTableCells(columnSpan);
    if (cell?.isMergedLeft === true && left !== undefined) {
      left.columnSpan += columnSpan;
      tellUnseen(blocks, reading);
    } else left = addCell({ column, columnSpan, cell, blocks }, row, place);
    column += columnSpan;
  }
  if (isPlaced) addEmpty(row, grid.columnCount - column, reading);
  return row;
}

interface NewCell {
  readonly column: number;
  readonly columnSpan: number;
  readonly cell: CellDefinition | undefined;
  readonly blocks: readonly Block[];
}

function addCell({ column, columnSpan, cell, blocks }: NewCell, row: SpannedCell[], place: RowPlace): SpannedCell {
  const origin = cell?.isMergedUp === true ? place.above.get(column) : undefined;
  if (origin !== undefined) {
    origin.rowSpan++;
    tellUnseen(blocks, place.reading);
    place.next.set(column, origin);
    // Its width is that of the cell it joins.
    return { ...origin };
  }
  const added: SpannedCell = { blocks, columnSpan, rowSpan: 1 };
  if (cell?.canMergeDown === true) place.next.set(column, added);
  row.push(added);
  return added;
}

// Word does not show what a cell that joins another one holds.
function tellUnseen(blocks: readonly Block[], reading: WordReading): void {
  if (blocks.length > 0) reading.count("hidden");
}

// Columns left free before the first or after the last cell are empty cells.
function addEmpty(row: SpannedCell[], count: number, reading: WordReading): void {
  if (count <= 0) return;
  reading.context.budget.takeTableCells(count);
  for (let index = 0; index < count; index++) row.push({ blocks: [], columnSpan: 1, rowSpan: 1 });
}

/** The edges of all cells of a table. */
class Grid {
  readonly #edges: readonly number[];

  constructor(rows: readonly RowDefinition[]) {
    const all = new Set(
      rows.flatMap(({ left, cells }) => (cells.length === 0 ? [] : [left, ...cells.map(({ right }) => right)])),
    );
    const edges: number[] = [];
    for (const edge of [...all].sort((a, b) => a - b)) {
      if (edge - (edges.at(-1) ?? -Infinity) > edgeTolerance) edges.push(edge);
    }
    this.#edges = edges;
  }

  get columnCount(): number {
    return Math.max(0, this.#edges.length - 1);
  }

  /** How many columns lie left of an edge. */
  columnOf(edge: number): number {
    let low = 0;
    let high = this.#edges.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#edges[middle] ?? 0) <= edge) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}
