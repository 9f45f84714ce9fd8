import type { Box } from "../page-content.ts";
import type { Line } from "./line.ts";
import { hasCaptionNear } from "./table-caption-line.ts";
import type { TableFrame } from "./table-frame.ts";
import type { TablePage } from "./table-frames.ts";
import { findRows } from "./text-block.ts";

/** A page with fewer short lines has no table that shows by its columns alone. */
const minShortLines = 6;
/** Rows stand no further apart than this, in ems. */
const maxRowDistance = 2.4;
/** Rows of a single piece that may follow one another within a table. */
const maxSingleRows = 2;

type Row = readonly Line[];

/** Parts of a page where short lines stand beside one another row after row: tables without ruling lines, maybe. */
export function findTableZones(page: TablePage): TableFrame[] {
  const pieces = page.lines.filter((line) => !page.prose.has(line) && !page.captions.includes(line));
  if (pieces.length < minShortLines) return [];
  const rows = findRows(pieces);
  if (rows.filter((row) => row.length > 1).length < 2) return [];
  return zonesOf(rows)
    .map((zone) => besideProse(zone, page.prose))
    .filter((zone) => zone.length > 1)
    .map((zone) => toFrame(zone, page));
}

function zonesOf(rows: readonly Row[]): Row[][] {
  const zones: Row[][] = [];
  let zone: Row[] = [];
  let singles = 0;
  const close = (): void => {
    while (zone.at(-1)?.length === 1) zone.pop();
    if (zone.length > 1) zones.push(zone);
    [zone, singles] = [[], 0];
  };
  for (const row of rows) {
    const first = row[0] as Line;
    const above = zone.at(-1)?.[0];
    if (above !== undefined && first.baseline - above.baseline > Math.max(first.size, above.size) * maxRowDistance)
      close();
    singles = row.length > 1 ? 0 : singles + 1;
    if (singles > maxSingleRows) close();
    if (zone.length > 0 || row.length > 1) zone.push(row);
  }
  close();
  return zones;
}

// Headings and last lines of the text beside a table stand on rows of the table.
function besideProse(zone: readonly Row[], prose: ReadonlySet<Line>): Row[] {
  const box = boxOf(zone.flat());
  const text = [...prose].filter((line) => line.baseline > box.top && line.top < box.bottom);
  if (text.length === 0) return [...zone];
  const isBeside = (piece: Line): boolean => !text.some((line) => piece.left < line.right && piece.right > line.left);
  return (
    zonesOf(zone.map((row) => row.filter(isBeside)).filter((row) => row.length > 0)).toSorted(
      (a, b) => b.length - a.length,
    )[0] ?? []
  );
}

function boxOf(lines: readonly Line[]): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { left, top, right, bottom } of lines) {
    box.left = Math.min(box.left, left);
    box.top = Math.min(box.top, top);
    box.right = Math.max(box.right, right);
    box.bottom = Math.max(box.bottom, bottom);
  }
  return box;
}

// Lines across most of the zone part rows; shorter ones stand under headings.
function toFrame(zone: readonly Row[], { rules, captions }: TablePage): TableFrame {
  const box = boxOf(zone.flat());
  const width = box.right - box.left;
  const inside = rules.across.filter(
    (rule) =>
      rule.top > box.top - 4 && rule.top < box.bottom + 4 && rule.right > box.left + 4 && rule.left < box.right - 4,
  );
  const isCrossing = (rule: Box): boolean => rule.left < box.left + width * 0.1 && rule.right > box.right - width * 0.1;
  return {
    ...box,
    crossLines: inside.filter(isCrossing).map(({ top }) => top),
    partLines: inside.filter((rule) => !isCrossing(rule)),
    uprights: [],
    joints: [],
    hasCaption: hasCaptionNear(box, captions),
  };
}
