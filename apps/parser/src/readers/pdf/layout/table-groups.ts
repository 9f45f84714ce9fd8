import type { Piece, PlacedRow } from "./table-rows.ts";
import type { Word } from "./word.ts";

/** Drawn rows that make one row of the table. */
export type RowGroup = readonly PlacedRow[];

/** A cell that stands in the middle of several rows, between their lines. */
export interface Straddler {
  readonly piece: Piece;
  readonly baseline: number;
  /** Index of the group that stands directly above its middle; the next one stands below. */
  readonly above: number;
}

export interface GroupedRows {
  readonly groups: readonly RowGroup[];
  readonly straddlers: readonly Straddler[];
}

/** Groups the drawn rows between two lines into rows of the table: cells of several lines make one. */
export function groupRows(rows: readonly PlacedRow[], widths: readonly number[]): GroupedRows {
  const { main, between } = takeStraddling(rows);
  const limit = tightDistance(main);
  const groups: PlacedRow[][] = [];
  for (const row of main) {
    const group = groups.at(-1);
    if (group !== undefined && goesOn(group, row, { limit, widths })) group.push(row);
    else groups.push([row]);
  }
  return { groups, straddlers: between.flatMap((row) => insertRow(groups, row)) };
}

/** A line that stands nearer to one row than to the other by this factor belongs to that row. */
const nearer = 0.5;

// Within a group, or clearly nearer to one of two, a row is part of it; in the middle between two its cells straddle.
function insertRow(groups: PlacedRow[][], row: PlacedRow): Straddler[] {
  const above = groups.findLastIndex((group) => (group[0] as PlacedRow).baseline <= row.baseline);
  const next = groups[above + 1];
  const distance = above < 0 ? Infinity : row.baseline - lastOf(groups[above] as RowGroup).baseline;
  const nextDistance = next === undefined ? Infinity : (next[0] as PlacedRow).baseline - row.baseline;
  if (distance > nextDistance * nearer && nextDistance > distance * nearer)
    return row.pieces.map((piece) => ({ piece, baseline: row.baseline, above }));
  const group = (distance <= nextDistance ? groups[above] : next) as PlacedRow[];
  const at = group.findIndex(({ baseline }) => baseline > row.baseline);
  group.splice(at < 0 ? group.length : at, 0, row);
  return [];
}

/** Baselines nearer than this, in ems, do not belong to lines of one column. */
const minLeading = 0.85;

// Cells set in the middle of their row stand between the lines of their neighbours.
function takeStraddling(rows: readonly PlacedRow[]): { main: PlacedRow[]; between: PlacedRow[] } {
  const main: PlacedRow[] = [];
  const between: PlacedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const above = main.at(-1);
    const below = rows[index + 1];
    const isBetween = [above, below].some(
      (other) =>
        other !== undefined &&
        Math.abs(row.baseline - other.baseline) < row.size * minLeading &&
        isApart(row, other) &&
        (row.pieces.length < other.pieces.length || (row.pieces.length === other.pieces.length && other === above)),
    );
    (isBetween ? between : main).push(row);
  }
  return { main, between };
}

function isApart(a: PlacedRow, b: PlacedRow): boolean {
  return a.pieces.every((piece) => b.pieces.every((other) => other.last < piece.first || other.first > piece.last));
}

/** Distances over the tightest by this factor part rows where both kinds are common. */
const looseness = 1.18;

// The largest distance within a cell, where lines of a cell stand closer than rows; undefined where all stand alike.
function tightDistance(rows: readonly PlacedRow[]): number | undefined {
  const distances = rows.slice(1).map((row, index) => row.baseline - (rows[index] as PlacedRow).baseline);
  const sorted = distances.toSorted((a, b) => a - b);
  const tightest = sorted[Math.floor(sorted.length * 0.1)];
  if (tightest === undefined) return undefined;
  const limit = tightest * looseness;
  const tight = sorted.filter((distance) => distance <= limit).length;
  const isClear = sorted.length > 2 || (sorted.at(-1) ?? 0) > tightest * 1.4;
  return tight >= sorted.length * 0.15 && tight <= sorted.length * 0.85 && isClear ? limit : undefined;
}

interface Setting {
  readonly limit: number | undefined;
  /** Width of the widest text of each column. */
  readonly widths: readonly number[];
}

type Verdict = "flows" | "fits" | "open";

// Whether a drawn row holds further lines of the cells above it.
function goesOn(group: readonly PlacedRow[], row: PlacedRow, { limit, widths }: Setting): boolean {
  const above = group.at(-1) as PlacedRow;
  const distance = row.baseline - above.baseline;
  if (distance < row.size * minLeading) return true;
  if (distance > row.size * 1.8) return false;
  const verdicts = row.pieces.map((piece) => verdictOf(group, piece, widths));
  const taken = new Set(group.flatMap(({ pieces }) => pieces.map(({ first }) => first)));
  const isNew = row.pieces.some(({ first, last }) => first !== last || !taken.has(first));
  const isLabelled = row.pieces.some(({ first }) => first === 0);
  if (limit !== undefined && distance <= limit) return !isNextRow(row, group, verdicts);
  if (limit !== undefined && distance > limit) return false;
  if (isNew || verdicts.includes("fits")) return false;
  const isFewer = row.pieces.length < taken.size;
  if (isLabelled || !isFewer) return isFewer && verdicts.every((verdict) => verdict === "flows");
  return verdicts.includes("flows");
}

// A row of cells that would have had room on the lines above them, or as full as the one above and not going on from it.
function isNextRow(row: PlacedRow, group: readonly PlacedRow[], verdicts: readonly Verdict[]): boolean {
  const fitting = verdicts.filter((verdict) => verdict === "fits").length;
  const flowing = verdicts.filter((verdict) => verdict === "flows").length;
  if (row.pieces.length > 1 && fitting > 0 && fitting >= flowing) return true;
  const isFull = row.pieces.length > 2 && row.pieces.length >= (group[0] as PlacedRow).pieces.length;
  return isFull && (verdicts.includes("fits") || flowing < verdicts.length * 0.5);
}

// A text is broken where its next word has no room; a cell that begins where there was room is a new one.
function verdictOf(group: readonly PlacedRow[], piece: Piece, widths: readonly number[]): Verdict {
  const before = group
    .flatMap(({ pieces }) => pieces)
    .findLast((other) => other.first <= piece.last && other.last >= piece.first);
  return before === undefined ? "open" : compareTexts(before, piece, widths[piece.first] ?? Infinity);
}

function compareTexts(before: Piece, piece: Piece, width: number): Verdict {
  const word = piece.words[0] as Word;
  const room = width - (before.right - before.left);
  const isOpen = endsOpen((before.words.at(-1) as Word).text);
  if (room > word.right - word.left + word.style.size * 0.9)
    return isOpen || /^[(±≤≥<>,;:)\]%]/u.test(word.text) ? "open" : "fits";
  if (isOpen || /^[\p{Ll}(±≤≥<>,;:)\]%]/u.test(word.text)) return "flows";
  const isText = before.words.length > 1 && /^\p{L}/u.test((before.words[0] as Word).text);
  return isText && /^\p{L}{3}/u.test(word.text) ? "flows" : "open";
}

// Nobody ends a cell with a hyphen, a comma or a preposition.
function endsOpen(text: string): boolean {
  return /(?:[-,;/(&+–]|^(?:and|or|of|the|in|with|for|to|by|from|et|und|y|de))$/iu.test(text);
}

function lastOf(group: RowGroup): PlacedRow {
  return group.at(-1) as PlacedRow;
}
