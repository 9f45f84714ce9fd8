import type { Box } from "../page-content.ts";
import type { PlacedCell } from "./table-cells.ts";
import type { Piece, PlacedRow } from "./table-rows.ts";
import type { Word } from "./word.ts";

/** Where the text of a column stands. */
export interface ColumnExtent {
  readonly left: number;
  readonly right: number;
}

export interface Header {
  readonly cells: readonly PlacedCell[];
  readonly rowCount: number;
}

interface Block {
  readonly first: number;
  readonly last: number;
  readonly level: number;
  readonly lines: Word[][];
  baseline: number;
}

/** Lines of a heading stand no further apart than this, in ems; others are rows. */
const maxLeading = 1.75;

export interface HeaderSetting {
  readonly columns: readonly ColumnExtent[];
  /** Lines under headings that stand over several columns. */
  readonly partLines: readonly Box[];
}

/** The headings of columns: those over several columns with what stands below them, the others over all rows of the header. */
export function readHeader(rows: readonly PlacedRow[], setting: HeaderSetting): Header {
  const spread = rows.map((row, index) => ({ ...row, pieces: spreadPieces(row, rows.slice(index + 1), setting) }));
  const columnCount = setting.columns.length;
  const lowest: (Block | undefined)[] = Array.from({ length: columnCount }, () => undefined);
  const blocks: Block[] = [];
  for (const { pieces, baseline, size } of spread) {
    for (const piece of pieces) {
      const above = [...new Set(lowest.slice(piece.first, piece.last + 1))].filter((block) => block !== undefined);
      const same = above.length === 1 ? above[0] : undefined;
      if (same !== undefined && isOneText(same, piece, { baseline, size, setting })) {
        same.lines.push([...piece.words]);
        same.baseline = baseline;
        continue;
      }
      const level = above.length === 0 ? 0 : Math.max(...above.map((block) => block.level)) + 1;
      const block = { first: piece.first, last: piece.last, level, lines: [[...piece.words]], baseline };
      blocks.push(block);
      for (let column = piece.first; column <= piece.last; column++) lowest[column] = block;
    }
  }
  const rowCount = Math.max(...blocks.map(({ level }) => level)) + 1;
  const cells = blocks.map((block) => {
    const isLowest = lowest.slice(block.first, block.last + 1).every((other) => other === block);
    return {
      row: block.level,
      rowSpan: isLowest ? rowCount - block.level : 1,
      column: block.first,
      columnSpan: block.last - block.first + 1,
      lines: block.lines,
    };
  });
  return { cells, rowCount };
}

interface Below {
  readonly baseline: number;
  readonly size: number;
  readonly setting: HeaderSetting;
}

function isOneText(block: Block, piece: Piece, { baseline, size, setting }: Below): boolean {
  if (block.first !== piece.first || block.last !== piece.last) return false;
  if (baseline - block.baseline > size * maxLeading) return false;
  return !setting.partLines.some(
    (line) =>
      line.top > block.baseline - size * 0.2 &&
      line.top < baseline - size * 0.3 &&
      line.left < piece.right &&
      line.right > piece.left,
  );
}

// Headings over several columns, by the lines under them, or where they stand in the middle of columns.
function spreadPieces(row: PlacedRow, below: readonly PlacedRow[], setting: HeaderSetting): Piece[] {
  const made: Piece[] = [];
  for (const [index, piece] of row.pieces.entries()) {
    const from = (made.at(-1)?.last ?? -1) + 1;
    const to = (row.pieces[index + 1]?.first ?? setting.columns.length) - 1;
    const wanted = rangeUnder(piece, row, setting) ?? rangeAround(piece, { from, to, below, row }, setting);
    const first = Math.max(from, Math.min(piece.first, wanted?.first ?? piece.first));
    const last = Math.min(Math.max(to, piece.last), Math.max(piece.last, wanted?.last ?? piece.last));
    made.push({ ...piece, first, last });
  }
  return made;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

function rangeUnder(
  piece: Piece,
  { baseline, size }: PlacedRow,
  { partLines, columns }: HeaderSetting,
): Range | undefined {
  const line = partLines.find(
    ({ top, left, right }) =>
      top > baseline - size * 0.1 && top < baseline + size * 1.1 && left < piece.left + 3 && right > piece.right - 3,
  );
  if (line === undefined) return undefined;
  const under = columns.flatMap(({ left, right }, column) => {
    const middle = (left + right) / 2;
    return middle > line.left - 2 && middle < line.right + 2 ? [column] : [];
  });
  const [first] = under;
  const last = under.at(-1);
  return first === undefined || last === undefined ? undefined : { first, last };
}

/** A text stands in the middle of columns when it misses their middle by no more than this, in points. */
const middleSlack = 5;

function rangeAround(
  piece: Piece,
  { from, to, below, row }: { from: number; to: number; below: readonly PlacedRow[]; row: PlacedRow },
  { columns }: HeaderSetting,
): Range | undefined {
  const next = below.find(({ baseline }) => baseline - row.baseline > row.size * 0.8);
  if (next === undefined || to - from < 1) return undefined;
  const middle = (piece.left + piece.right) / 2;
  const off = (first: number, last: number) =>
    Math.abs(((columns[first]?.left ?? 0) + (columns[last]?.right ?? 0)) / 2 - middle);
  if (piece.first === piece.last && off(piece.first, piece.first) <= middleSlack) return undefined;
  let best: Range | undefined;
  let least = piece.first === piece.last ? middleSlack : off(piece.first, piece.last) - 2;
  for (let first = Math.min(from, piece.first); first <= piece.first; first++) {
    for (let last = piece.last; last <= Math.max(to, piece.last); last++) {
      const isHeaded = next.pieces.filter((other) => other.first >= first && other.last <= last).length;
      if (first === last || isHeaded < last - first + 1 || off(first, last) >= least) continue;
      best = { first, last };
      least = off(first, last);
    }
  }
  return best;
}
