import type { Box } from "../page-content.ts";
import type { Line } from "./line.ts";
import { dropStrips } from "./lattice-strips.ts";
import { joinUprights, type PageRules } from "./table-rules.ts";

/** A grid of ruling lines that touch one another. */
export interface Lattice extends Box {
  /** Places of the upright lines and of those across, sides included. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** The merged cells, by rows. */
  readonly regions: readonly Region[];
  /** Whether lines are drawn all around it, and whether they are at its head and foot. */
  readonly isClosed: boolean;
  readonly isHeadedAndFooted: boolean;
}

/** Elementary cells without a line between them. */
export interface Region {
  readonly row: number;
  readonly rowSpan: number;
  readonly column: number;
  readonly columnSpan: number;
}

const touchSlack = 3;
const lineSlack = 4;
const minUpright = 8;
const minAcross = 12;
const maxCells = 20_000;
/** Narrower boxes below one another are fields of a form. */
const minSingleWidth = 90;
/** Lines across that go on past the outermost upright one by more than this have an open cell there. */
const minOpenSide = 12;

/**
 * Finds the grids of a page: ruling lines connected with one another that make two columns or more, or rows of one column
 * with lines all around. `lines` tell which narrow strips between two ruling lines are no cells.
 */
export function findLattices(rules: PageRules, lines: readonly Line[]): Lattice[] {
  const uprights = joinUprights(rules.upright).filter(({ top, bottom }) => bottom - top >= minUpright);
  if (uprights.length < 2) return [];
  const across = rules.across.filter(({ left, right }) => right - left >= minAcross);
  return connect(across, uprights).flatMap((component) => toLattice(component, lines) ?? []);
}

interface Component {
  readonly across: Box[];
  readonly uprights: Box[];
}

// Lines that touch belong together.
function connect(across: readonly Box[], uprights: readonly Box[]): Component[] {
  const parents = Array.from({ length: across.length + uprights.length }, (_, index) => index);
  const find = (at: number): number => {
    let root = at;
    while (parents[root] !== root) root = parents[root] as number;
    for (let next = at; parents[next] !== root;) [parents[next], next] = [root, parents[next] as number];
    return root;
  };
  for (const [index, upright] of uprights.entries()) {
    for (let at = firstFrom(across, upright.top - touchSlack); at < across.length; at++) {
      const line = across[at] as Box;
      if (line.top > upright.bottom + touchSlack) break;
      if (line.left <= upright.left + touchSlack && line.right >= upright.left - touchSlack)
        parents[find(at)] = find(across.length + index);
    }
  }
  const components = new Map<number, Component>();
  const componentAt = (at: number): Component => {
    const root = find(at);
    const known = components.get(root) ?? { across: [], uprights: [] };
    components.set(root, known);
    return known;
  };
  for (const [index, line] of across.entries()) componentAt(index).across.push(line);
  for (const [index, line] of uprights.entries()) componentAt(across.length + index).uprights.push(line);
  return [...components.values()].filter((component) => component.across.length > 1 && component.uprights.length > 1);
}

function firstFrom(across: readonly Box[], top: number): number {
  let [from, to] = [0, across.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((across[middle] as Box).top < top) from = middle + 1;
    else to = middle;
  }
  return from;
}

function toLattice({ across, uprights }: Component, lines: readonly Line[]): Lattice | undefined {
  const inner = cluster(uprights.map(({ left }) => left));
  const left = Math.min(...across.map((line) => line.left));
  const right = Math.max(...across.map((line) => line.right));
  const drawnXs = [
    ...(left < (inner[0] as number) - minOpenSide ? [left] : []),
    ...inner,
    ...(right > (inner.at(-1) as number) + minOpenSide ? [right] : []),
  ];
  const { xs, ys } = dropStrips({ xs: drawnXs, ys: cluster(across.map(({ top }) => top)) }, lines);
  const [rowCount, columnCount] = [ys.length - 1, xs.length - 1];
  if (columnCount < 1 || rowCount < (columnCount > 1 ? 1 : 2) || rowCount * columnCount > maxCells) return undefined;
  const walls = {
    rowCount,
    columnCount,
    leftOf: wallsAlong(
      uprights.map((line) => ({ at: line.left, from: line.top, to: line.bottom })),
      xs,
      ys,
    ),
    topOf: wallsAlong(
      across.map((line) => ({ at: line.top, from: line.left, to: line.right })),
      ys,
      xs,
    ),
  };
  const { isClosed, isHeadedAndFooted } = closingOf(walls);
  const box = { left: xs[0] as number, right: xs.at(-1) as number, top: ys[0] as number, bottom: ys.at(-1) as number };
  if (columnCount === 1 && !(isClosed && box.right - box.left >= minSingleWidth)) return undefined;
  return { ...box, xs, ys, regions: findRegions(walls), isClosed, isHeadedAndFooted };
}

function closingOf({ leftOf, topOf }: Walls): Pick<Lattice, "isClosed" | "isHeadedAndFooted"> {
  const isDrawn = (side: Uint8Array | undefined): boolean => side?.every((drawn) => drawn === 1) === true;
  const isHeadedAndFooted = isDrawn(topOf[0]) && isDrawn(topOf.at(-1));
  return { isHeadedAndFooted, isClosed: isHeadedAndFooted && isDrawn(leftOf[0]) && isDrawn(leftOf.at(-1)) };
}

function cluster(values: readonly number[]): number[] {
  const clusters: number[][] = [];
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = clusters.at(-1);
    if (last !== undefined && value - (last[0] as number) <= lineSlack) last.push(value);
    else clusters.push([value]);
  }
  return clusters.map((members) => members[members.length >> 1] as number);
}

interface Stroke {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Share of a side of a cell that is drawn when the cell ends there. */
const drawnShare = 0.6;

// By line, then by the stretch between two crossing lines: whether it is drawn there.
function wallsAlong(strokes: readonly Stroke[], lines: readonly number[], stops: readonly number[]): Uint8Array[] {
  const walls = lines.map(() => new Float64Array(stops.length - 1));
  for (const { at, from, to } of strokes) {
    const line = walls[nearest(lines, at)];
    if (line === undefined) continue;
    for (let stop = 0; stop + 1 < stops.length; stop++) {
      const drawn = Math.min(to, stops[stop + 1] as number) - Math.max(from, stops[stop] as number);
      if (drawn > 0) line[stop] = (line[stop] ?? 0) + drawn;
    }
  }
  return walls.map((line) =>
    Uint8Array.from(line, (drawn, stop) =>
      drawn >= ((stops[stop + 1] as number) - (stops[stop] as number)) * drawnShare ? 1 : 0,
    ),
  );
}

function nearest(lines: readonly number[], at: number): number {
  let best = 0;
  for (let line = 1; line < lines.length; line++)
    if (Math.abs((lines[line] as number) - at) < Math.abs((lines[best] as number) - at)) best = line;
  return best;
}

interface Walls {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly leftOf: readonly Uint8Array[];
  readonly topOf: readonly Uint8Array[];
}

// Grows each cell to the right and then down as long as no line is in the way.
function findRegions({ rowCount, columnCount, leftOf, topOf }: Walls): Region[] {
  const taken = new Uint8Array(rowCount * columnCount);
  const regions: Region[] = [];
  const isOpenLeft = (row: number, column: number): boolean => leftOf[column]?.[row] === 0;
  const isOpenAbove = (row: number, from: number, to: number): boolean => {
    for (let column = from; column < to; column++) {
      if (topOf[row]?.[column] !== 0 || taken[row * columnCount + column] !== 0) return false;
      if (column > from && !isOpenLeft(row, column)) return false;
    }
    return true;
  };
  for (let row = 0; row < rowCount; row++) {
    for (let column = 0; column < columnCount; column++) {
      if (taken[row * columnCount + column] !== 0) continue;
      let end = column + 1;
      while (end < columnCount && isOpenLeft(row, end) && taken[row * columnCount + end] === 0) end++;
      let bottom = row + 1;
      while (bottom < rowCount && isOpenAbove(bottom, column, end)) bottom++;
      for (let y = row; y < bottom; y++) taken.fill(1, y * columnCount + column, y * columnCount + end);
      regions.push({ row, rowSpan: bottom - row, column, columnSpan: end - column });
    }
  }
  return regions;
}
