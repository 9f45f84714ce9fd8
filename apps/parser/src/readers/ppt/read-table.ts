import type { Block, RichCell, TableCell } from "../../document/document.ts";
import type { Budget } from "../../limits/budget.ts";
import type { Box } from "../reading-order.ts";
import type { ReadShape } from "./read-shapes.ts";

/** Columns and rows of one table. */
const maxLines = 1_024;
/** Cells whose edges differ by no more, in 1/576 inch, stand in the same column or row. */
const tolerance = 4;

/**
 * The cells of a table, which a presentation draws as shapes in a group, by where their edges lie; undefined where they form
 * no grid. @throws AppError `LIMIT_EXCEEDED` for too many cells.
 */
export function toTable(cells: readonly ReadShape[], budget: Budget): Block | undefined {
  const placed = cells.filter((cell): cell is PlacedCell => cell.box !== undefined);
  if (placed.length === 0 || placed.length < cells.length) return undefined;
  const columns = linesOf(placed.flatMap(({ box }) => [box.left, box.right]));
  const rows = linesOf(placed.flatMap(({ box }) => [box.top, box.bottom]));
  if (columns.length > maxLines || rows.length > maxLines || columns.length < 2 || rows.length < 2) return undefined;
  budget.takeTableCells((columns.length - 1) * (rows.length - 1));
  const grid = fillGrid(placed, columns, rows);
  return grid && { type: "table", rows: grid, headerRowCount: grid.length > 1 ? 1 : 0 };
}

interface PlacedCell extends ReadShape {
  readonly box: Box;
}

function linesOf(edges: readonly number[]): number[] {
  const lines: number[] = [];
  for (const edge of edges.toSorted((a, b) => a - b))
    if (edge - (lines.at(-1) ?? -Infinity) > tolerance) lines.push(edge);
  return lines;
}

function nearest(lines: readonly number[], edge: number): number {
  let found = 0;
  while (found + 1 < lines.length && (lines[found + 1] ?? Infinity) <= edge + tolerance / 2) found++;
  return found;
}

function fillGrid(
  cells: readonly PlacedCell[],
  columns: readonly number[],
  rows: readonly number[],
): TableCell[][] | undefined {
  const width = columns.length - 1;
  const isCovered = new Uint8Array(width * (rows.length - 1));
  const corners = new Map<number, RichCell>();
  for (const { box, blocks } of cells) {
    const [left, top] = [nearest(columns, box.left), nearest(rows, box.top)];
    const columnSpan = Math.max(1, nearest(columns, box.right) - left);
    const rowSpan = Math.max(1, nearest(rows, box.bottom) - top);
    const corner = top * width + left;
    corners.set(corner, { blocks, ...(columnSpan > 1 && { columnSpan }), ...(rowSpan > 1 && { rowSpan }) });
    for (let begin = corner; begin < corner + rowSpan * width; begin += width) {
      const places = isCovered.subarray(begin, begin + columnSpan);
      if (places.includes(1)) return undefined;
      places.fill(1);
    }
  }
  return rows.slice(1).map((_, row) =>
    columns.slice(1).flatMap((__, column) => {
      const corner = corners.get(row * width + column);
      if (corner !== undefined) return [simplify(corner)];
      return isCovered[row * width + column] === 0 ? [""] : [];
    }),
  );
}

function simplify(cell: RichCell): TableCell {
  const [only] = cell.blocks;
  if (cell.columnSpan !== undefined || cell.rowSpan !== undefined || cell.blocks.length > 1) return cell;
  if (only === undefined) return "";
  const text = only.type === "paragraph" && only.inlines.length === 1 ? only.inlines[0] : undefined;
  return typeof text === "string" ? text : cell;
}
