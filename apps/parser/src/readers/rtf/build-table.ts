import type { Block, Table, TableCell } from "../../document/document.ts";

export interface CellDefinition {
  /** Right edge in twips (1/1440 inch) from the left of the text. */
  readonly rightTwips: number;
  readonly isMergedLeft: boolean;
  readonly isMergedUp: boolean;
}

export interface TableRowContent {
  readonly cells: readonly (readonly Block[])[];
  readonly definitions: readonly CellDefinition[];
  readonly isHeader: boolean;
}

interface PlacedCell {
  readonly column: number;
  readonly columnSpan: number;
  rowSpan: number;
  readonly blocks: Block[];
}

const edgeToleranceTwips = 40;

/** A table from its rows; spans follow from the edges of cells and the merge flags of \clvmrg and \clmrg. */
export function buildTable(rows: readonly TableRowContent[]): Table {
  const edges = gridEdges(rows);
  const above = new Map<number, PlacedCell>();
  const placed = rows.map((row) => placeRow(row, edges, above));
  return { type: "table", headerRowCount: countHeaders(rows, placed), rows: placed.map((cells) => cells.map(toCell)) };
}

// A header cell that reaches further down takes the rows it reaches into the header.
function countHeaders(rows: readonly TableRowContent[], placed: readonly (readonly PlacedCell[])[]): number {
  const first = rows.findIndex(({ isHeader }) => !isHeader);
  let count = first === -1 ? rows.length : first;
  for (let row = 0; row < count; row++) {
    for (const { rowSpan } of placed[row] ?? []) count = Math.max(count, row + rowSpan);
  }
  return Math.min(count, rows.length);
}

// Rows whose cells are not all defined cannot be placed on the grid.
function isDefined({ cells, definitions }: TableRowContent): boolean {
  return definitions.length === cells.length && definitions.every(({ rightTwips }) => rightTwips > 0);
}

function gridEdges(rows: readonly TableRowContent[]): readonly number[] {
  const all = rows.filter(isDefined).flatMap(({ definitions }) => definitions.map(({ rightTwips }) => rightTwips));
  const sorted = [...new Set(all)].sort((a, b) => a - b);
  const edges: number[] = [];
  for (const edge of sorted) {
    if (edge - (edges.at(-1) ?? Number.NEGATIVE_INFINITY) > edgeToleranceTwips) edges.push(edge);
  }
  return edges;
}

function placeRow(row: TableRowContent, edges: readonly number[], above: Map<number, PlacedCell>): PlacedCell[] {
  const isPlaced = isDefined(row);
  const cells: PlacedCell[] = [];
  let column = 0;
  row.cells.forEach((blocks, index) => {
    const definition = isPlaced ? row.definitions[index] : undefined;
    const end = definition === undefined ? column + 1 : edgeIndex(edges, definition.rightTwips) + 1;
    const span = Math.max(1, end - column);
    addCell({ cells, above, definition }, { column, columnSpan: span, rowSpan: 1, blocks: [...blocks] });
    column += span;
  });
  return cells;
}

interface RowInProgress {
  readonly cells: PlacedCell[];
  readonly above: Map<number, PlacedCell>;
  readonly definition: CellDefinition | undefined;
}

function addCell({ cells, above, definition }: RowInProgress, cell: PlacedCell): void {
  const left = cells.at(-1);
  if (definition?.isMergedLeft === true && left !== undefined) {
    cells[cells.length - 1] = { ...left, columnSpan: left.columnSpan + cell.columnSpan };
    cells.at(-1)?.blocks.push(...cell.blocks);
    above.set(left.column, cells.at(-1) ?? left);
    return;
  }
  const origin = above.get(cell.column);
  if (definition?.isMergedUp === true && origin?.columnSpan === cell.columnSpan) {
    origin.rowSpan++;
    origin.blocks.push(...cell.blocks);
    return;
  }
  above.set(cell.column, cell);
  cells.push(cell);
}

function edgeIndex(edges: readonly number[], rightTwips: number): number {
  let low = 0;
  let high = edges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] as number) <= rightTwips) low = middle;
    else high = middle - 1;
  }
  return low;
}

function toCell({ blocks, columnSpan, rowSpan }: PlacedCell): TableCell {
  const only = blocks[0];
  const isSingle = blocks.length <= 1 && columnSpan === 1 && rowSpan === 1;
  if (isSingle && only === undefined) return "";
  if (isSingle && only?.type === "paragraph" && only.inlines.every((inline) => typeof inline === "string")) {
    return only.inlines.join("");
  }
  return { blocks, ...(columnSpan > 1 && { columnSpan }), ...(rowSpan > 1 && { rowSpan }) };
}
