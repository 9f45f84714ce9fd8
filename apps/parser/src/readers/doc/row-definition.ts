import { i16, u16, u32, u8 } from "./bytes.ts";
import type { GroupSource } from "./paragraph-changes.ts";
import { walkSprms } from "./sprm.ts";

/** How a cell joins others. */
export interface CellDefinition {
  /** Its content is that of the cell to its left. */
  readonly isMergedLeft: boolean;
  /** Its content is that of the cell above. */
  readonly isMergedUp: boolean;
  /** Other cells below may join it. */
  readonly canMergeDown: boolean;
  /** Right edge in twentieths of a point. */
  readonly right: number;
}

export interface RowDefinition {
  readonly isHeader: boolean;
  /** The look of the table has a first row that differs. */
  readonly hasHeaderLook: boolean;
  /** Left edge of the first cell in twentieths of a point. */
  readonly left: number;
  readonly cells: readonly CellDefinition[];
}

interface Cell {
  /** 0 for none; the first of a set has another number than the rest of it. */
  horizontal: number;
  /** 0 for none, 1 to join the cell above, 3 to begin a set ([MS-DOC] 2.9.342). */
  vertical: number;
  right: number;
}

interface Row {
  isHeader: boolean;
  hasHeaderLook: boolean;
  left: number;
  cells: Cell[];
  insertionsLeft: number;
}

/** Cells of a row, which is what Word itself allows. */
const maxCells = 64;

/** The row that the changes of its last mark define ([MS-DOC] 2.6.3). */
export function readRowDefinition(group: Buffer, source: GroupSource): RowDefinition {
  const row: Row = { isHeader: false, hasHeaderLook: false, left: 0, cells: [], insertionsLeft: maxCells };
  applyGroup(row, group, { ...source, depth: 0 });
  return {
    isHeader: row.isHeader,
    hasHeaderLook: row.hasHeaderLook,
    left: row.left,
    cells: row.cells.map((cell, index) => ({
      isMergedLeft: isMergedLeft(row.cells, index),
      isMergedUp: cell.vertical === 1,
      canMergeDown: cell.vertical !== 0,
      right: cell.right,
    })),
  };
}

// The documents disagree on which number the first cell of a set has (fFirstMerged of the Word 97 format, horzMerge of
// [MS-DOC] 2.9.317); all agree that it is another one than the rest has.
function isMergedLeft(cells: readonly Cell[], index: number): boolean {
  const own = cells[index]?.horizontal ?? 0;
  if (own === 0) return false;
  let first = index;
  while (first > 0 && (cells[first - 1]?.horizontal ?? 0) !== 0 && index - first < maxCells) first--;
  return first !== index && own !== cells[first]?.horizontal;
}

interface RowSource extends GroupSource {
  readonly depth: number;
}

/** Groups that groups name; honest files have two, sprmPHugePapx and in it sprmPTableProps. */
const maxDepth = 3;
const namedGroups: ReadonlySet<number> = new Set([0x6645, 0x6646, 0x646b]);

function applyGroup(row: Row, group: Buffer, source: RowSource): void {
  walkSprms(group, source.isWord6, (code, bytes, at) => {
    if (namedGroups.has(code)) {
      const named = source.depth < maxDepth ? source.findGroup(u32(bytes, at)) : undefined;
      if (named !== undefined) applyGroup(row, named, { ...source, depth: source.depth + 1 });
    } else if (code === defineTable) row.cells = readCells(row, bytes.subarray(at), source.isWord6);
    else appliers.get(code)?.(row, bytes, at);
  });
}

const defineTable = 0xd608;

// Edges first, one more than cells, then a descriptor for each cell, of which the last ones may be missing.
function readCells(row: Row, operand: Buffer, isWord6: boolean): Cell[] {
  const count = Math.min(u8(operand, 2), maxCells);
  const descriptorBytes = isWord6 ? 10 : 20;
  const end = Math.min(operand.length, u16(operand, 0) + 1);
  row.left = i16(operand, 3);
  return Array.from({ length: count }, (_, index) => {
    const at = 3 + 2 * (count + 1) + descriptorBytes * index;
    const flags = at + 2 <= end ? u16(operand, at) : 0;
    return { horizontal: flags & 3, vertical: isWord6 ? 0 : (flags >> 5) & 3, right: i16(operand, 5 + 2 * index) };
  });
}

type Apply = (row: Row, bytes: Buffer, at: number) => void;

const headerRowsLook = 0x20;

const appliers: ReadonlyMap<number, Apply> = new Map<number, Apply>([
  [0x3404, (row, bytes, at) => void (row.isHeader = u8(bytes, at) !== 0)],
  [0x5622, (row, bytes, at) => void row.cells.splice(u8(bytes, at), Math.max(0, u8(bytes, at + 1) - u8(bytes, at)))],
  [0x5624, (row, bytes, at) => merge(row, u8(bytes, at), u8(bytes, at + 1))],
  [0x5625, (row, bytes, at) => split(row, u8(bytes, at), u8(bytes, at + 1))],
  [0x740a, (row, bytes, at) => void (row.hasHeaderLook = (u16(bytes, at + 2) & headerRowsLook) !== 0)],
  [0x7621, insertCells],
  [0x7623, setWidths],
  [0xd62b, setVerticalMerge],
]);

function merge(row: Row, first: number, limit: number): void {
  row.cells.slice(first, limit).forEach((cell, index) => (cell.horizontal = index === 0 ? 1 : 2));
}

function split(row: Row, first: number, limit: number): void {
  for (const cell of row.cells.slice(first, limit)) cell.horizontal = 0;
}

function setVerticalMerge(row: Row, bytes: Buffer, at: number): void {
  const cell = row.cells[u8(bytes, at + 1)];
  if (cell !== undefined) cell.vertical = u8(bytes, at + 2) & 3;
}

function insertCells(row: Row, bytes: Buffer, at: number): void {
  if (--row.insertionsLeft < 0) return;
  const first = u8(bytes, at);
  const count = Math.min(u8(bytes, at + 1), maxCells - row.cells.length);
  const width = u16(bytes, at + 2);
  while (row.cells.length < first && row.cells.length < maxCells) appendCell(row, width);
  const left = first === 0 ? row.left : (row.cells[first - 1]?.right ?? row.left);
  const added = Array.from({ length: Math.max(0, count) }, (_, index) => ({
    horizontal: 0,
    vertical: 0,
    right: left + width * (index + 1),
  }));
  for (const cell of row.cells.slice(first)) cell.right += width * added.length;
  row.cells.splice(first, 0, ...added);
}

function appendCell(row: Row, width: number): void {
  row.cells.push({ horizontal: 0, vertical: 0, right: (row.cells.at(-1)?.right ?? row.left) + width });
}

function setWidths(row: Row, bytes: Buffer, at: number): void {
  const width = u16(bytes, at + 2);
  for (let index = u8(bytes, at); index < Math.min(u8(bytes, at + 1), row.cells.length); index++) {
    const left = index === 0 ? row.left : (row.cells[index - 1]?.right ?? row.left);
    const change = left + width - (row.cells[index]?.right ?? left);
    for (const cell of row.cells.slice(index)) cell.right += change;
  }
}
