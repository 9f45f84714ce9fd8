import type { Line } from "./line.ts";
import { minTableWidth, type PageRules, stackRules } from "./table-rules.ts";

/** Pieces beside one another on so many rows may be cells: running text has two columns, seldom three. */
const minPieces = 3;
const minRows = 3;

/** Whether a page may hold a table at all: most pages of text show at a glance that they do not. */
export function hasTableSigns(lines: readonly Line[], rules: PageRules, captions: readonly Line[]): boolean {
  if (captions.length > 0 || (rules.upright.length > 1 && rules.across.length > 1)) return true;
  const wide = rules.across.filter(({ left, right }) => right - left >= minTableWidth);
  return stackRules(wide).length > 0 || hasBrokenRows(lines);
}

function hasBrokenRows(lines: readonly Line[]): boolean {
  const baselines = Float64Array.from(lines, ({ baseline }) => baseline).sort();
  let rows = 0;
  let from = 0;
  for (let at = 1; at <= baselines.length; at++) {
    if (at < baselines.length && (baselines[at] as number) - (baselines[at - 1] as number) < 1.5) continue;
    if (at - from >= minPieces) rows++;
    from = at;
  }
  return rows >= minRows;
}
