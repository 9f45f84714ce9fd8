import type { TableCell, TableRow } from "../../../document/document.ts";
import { documentText } from "../../../document/document-text.ts";
import { plainText } from "./compose-inlines.ts";
import type { Passage } from "./passage.ts";
import type { PlacedBlock, PlacedTable } from "./to-blocks.ts";

/** Sides of the parts of one table differ no more than this from page to page, in points. */
const sideSlack = 14;

/** Joins tables that go on on the next page; headings that are repeated there are left out. */
export function joinTables(blocks: readonly PlacedBlock[]): PlacedBlock[] {
  const joined: PlacedBlock[] = [];
  let open: { at: number; last: PlacedTable } | undefined;
  let between: Passage[] = [];
  for (const block of blocks) {
    if (block.kind === "text") {
      between.push(block);
      joined.push(block);
      continue;
    }
    if (open !== undefined && goesOn(open.last, block, between)) {
      joined[open.at] = join(joined[open.at] as PlacedTable, block);
      open.last = block;
    } else {
      joined.push(block);
      open = { at: joined.length - 1, last: block };
    }
    between = [];
  }
  return joined;
}

function goesOn(table: PlacedTable, next: PlacedTable, between: readonly Passage[]): boolean {
  if (next.page !== table.page + 1 || columnCountOf(table) !== columnCountOf(next)) return false;
  const label = labelOf(next);
  if (label !== undefined) {
    const isSame = label === labelOf(table);
    return isSame || isContinued(next);
  }
  const isAligned = Math.abs(table.left - next.left) < sideSlack && Math.abs(table.right - next.right) < sideSlack;
  return isAligned && between.every((passage) => isContinuationMark(passage.text));
}

function isContinued({ caption }: PlacedTable): boolean {
  return caption !== undefined && isContinuationMark(plainText(caption));
}

function isContinuationMark(text: string): boolean {
  return (
    text.length < 200 && /\b(?:cont(?:inued|inuation|'?d|\.)|fortsetzung|suite|continuación)(?![\p{L}])/iu.test(text)
  );
}

// `table 2` of a caption.
function labelOf({ caption }: PlacedTable): string | undefined {
  if (caption === undefined) return undefined;
  return /^\P{N}{0,30}[\p{N}]+(?:[.-]\p{N}+)*/u
    .exec(plainText(caption).slice(0, 60))?.[0]
    ?.toLowerCase()
    .replace(/\s/g, "");
}

function columnCountOf({ rows }: PlacedTable): number {
  const width = (cell: TableCell): number => (typeof cell === "string" ? 1 : (cell.columnSpan ?? 1));
  return Math.max(0, ...rows.slice(0, 50).map((row) => row.reduce((sum, cell) => sum + width(cell), 0)));
}

function join(table: PlacedTable, next: PlacedTable): PlacedTable {
  const repeated = repeatedRows(table, next);
  return {
    ...table,
    rows: [...table.rows, ...next.rows.slice(repeated)],
    letterCount: table.letterCount + next.letterCount,
  };
}

function repeatedRows(table: PlacedTable, next: PlacedTable): number {
  const count = table.headerRowCount;
  for (let row = 0; row < count; row++) {
    if (textOf(table.rows[row]) !== textOf(next.rows[row])) return 0;
  }
  return count;
}

function textOf(row: TableRow | undefined): string {
  return (row ?? [])
    .map((cell) => (typeof cell === "string" ? cell : [...documentText(cell.blocks)].join(" ")))
    .join("|")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}|]/gu, "");
}
