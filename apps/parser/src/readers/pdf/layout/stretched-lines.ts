import { type Line, mergeWords, toLine } from "./line.ts";
import { findRows } from "./text-block.ts";

/** Rows above and below in which the lines of the same paragraph are looked for; those of other columns stand between. */
const reach = 3;

/**
 * Joins the words of justified lines that were stretched to fill their column so far that they look like pieces of several
 * columns: lines whose spaces are alike, and which are as full as a line of the same paragraph next to them.
 */
export function joinStretchedLines(lines: readonly Line[]): Line[] {
  const rows = findRows(lines);
  for (let at = 0; at < rows.length; at++) rows[at] = joinStretched(rows, at);
  for (let at = rows.length - 1; at >= 0; at--) rows[at] = joinStretched(rows, at);
  return rows.flat();
}

function joinStretched(rows: readonly (readonly Line[])[], at: number): Line[] {
  const row = rows[at] as readonly Line[];
  if (row.length === 1) return [...row];
  return runsOf(row).flatMap((run) => {
    if (run.length === 1 || !isStretchedAlike(run)) return run;
    const whole = run.reduce(join);
    return neighbours(rows, at).some((line) => isInColumnOf(whole, line)) ? [whole] : run;
  });
}

/** Spaces of a stretched line are at most this wide, in ems. */
const maxSpace = 5;

// Pieces beside each other that were drawn one after another.
function runsOf(row: readonly Line[]): Line[][] {
  const runs: Line[][] = [];
  for (const piece of row) {
    const last = runs.at(-1)?.at(-1);
    const isNext = last !== undefined && follows(last, piece) && piece.left - last.right < piece.size * maxSpace;
    if (isNext) runs.at(-1)?.push(piece);
    else runs.push([piece]);
  }
  return runs;
}

function follows(before: Line, after: Line): boolean {
  const [last, first] = [before.words.at(-1), after.words[0]];
  return last !== undefined && first !== undefined && first.order > last.order && first.order <= last.order + 2;
}

/** The widest space of a justified line over its narrowest. */
const unevenness = 1.6;

function isStretchedAlike(run: readonly Line[]): boolean {
  let [narrowest, widest] = [Infinity, 0];
  for (const [index, piece] of run.entries()) {
    const before = run[index - 1];
    const spaces = piece.words
      .slice(1)
      .map((word, place) => (word.isGlued ? 0 : word.left - (piece.words[place]?.right ?? 0)));
    for (const space of [...spaces, before === undefined ? 0 : piece.left - before.right]) {
      if (space <= 0) continue;
      narrowest = Math.min(narrowest, space);
      widest = Math.max(widest, space);
    }
  }
  return widest <= narrowest * unevenness;
}

function neighbours(rows: readonly (readonly Line[])[], at: number): Line[] {
  return [...rows.slice(Math.max(0, at - reach), at), ...rows.slice(at + 1, at + 1 + reach)].flat();
}

// A line of the same paragraph: as full, from edge to edge, but for the indent of a first line.
function isInColumnOf(whole: Line, line: Line): boolean {
  const { size } = whole;
  const isNear = Math.abs(line.baseline - whole.baseline) < size * 2.2 && Math.abs(line.size - size) < size * 0.1;
  return isNear && Math.abs(line.right - whole.right) < size * 0.3 && Math.abs(line.left - whole.left) < size * 2.2;
}

function join(a: Line, b: Line): Line {
  return toLine(mergeWords(a, b));
}
