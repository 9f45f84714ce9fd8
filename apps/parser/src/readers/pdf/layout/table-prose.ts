import type { Line } from "./line.ts";

/** A line of so many words may be running text. */
const minWords = 5;
/** Share of the width of the page from which ragged lines count as running text. */
const raggedShare = 0.3;
/** Ends of justified lines differ no more than this, in points. */
const endSlack = 2.5;

/** The lines of a page that are running text: set to one measure, or wide and below one another. */
export function findProse(lines: readonly Line[], pageWidth: number): Set<Line> {
  const wordy = lines.filter(isWordy).sort((a, b) => a.baseline - b.baseline);
  const pairs = findPairs(wordy);
  const measure = measureOf(pairs);
  const prose = new Set<Line>();
  const isBroken = findBroken(lines);
  for (const [above, below] of pairs) {
    const isJustified = Math.abs(above.right - below.right) <= endSlack;
    const width = Math.max(above.right - above.left, below.right - below.left);
    const isSet = isJustified && measure !== undefined && Math.abs(width - measure) <= measure * 0.04;
    if (!isSet && width < pageWidth * raggedShare) continue;
    if (isSet || !isBroken(above)) prose.add(above);
    if (isSet || !isBroken(below)) prose.add(below);
  }
  addLastLines(lines, prose);
  return prose;
}

/** Whether a line holds words of letters as a sentence does. */
export function isWordy({ words }: Line): boolean {
  if (words.length < minWords) return false;
  let count = 0;
  for (const { text } of words) {
    const code = text.charCodeAt(0);
    const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code >= 0xc0;
    if (isLetter && text.length > 1) count++;
  }
  return count >= minWords;
}

// A line with two short pieces beside it is a row of a table.
function findBroken(lines: readonly Line[]): (line: Line) => boolean {
  const scraps = lines
    .filter((line) => !isWordy(line))
    .map(({ baseline }) => baseline)
    .sort((a, b) => a - b);
  return ({ baseline, size }) => {
    let [from, to] = [0, scraps.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((scraps[middle] as number) < baseline - size * 0.3) from = middle + 1;
      else to = middle;
    }
    return (scraps[from + 1] ?? Infinity) <= baseline + size * 0.3;
  };
}

// Wordy lines directly below one another that begin at one place.
function findPairs(wordy: readonly Line[]): [Line, Line][] {
  const pairs: [Line, Line][] = [];
  for (const [index, line] of wordy.entries()) {
    for (let at = index + 1; at < wordy.length; at++) {
      const below = wordy[at] as Line;
      const distance = below.baseline - line.baseline;
      if (distance > line.size * 2.1 || at > index + 60) break;
      if (distance < line.size * 0.7 || Math.abs(below.left - line.left) > 2 || Math.abs(below.size - line.size) > 0.6)
        continue;
      pairs.push([line, below]);
      break;
    }
  }
  return pairs;
}

// The commonest width of justified pairs, by points of three.
function measureOf(pairs: readonly [Line, Line][]): number | undefined {
  const counts = new Map<number, number>();
  for (const [above, below] of pairs) {
    if (Math.abs(above.right - below.right) > endSlack) continue;
    const key = Math.round((above.right - above.left) / 3);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  return best === undefined || best[1] < 3 || best[0] * 3 < 120 ? undefined : best[0] * 3;
}

/** Lines looked at on either side of one, on pages that are drawings. */
const maxNeighbours = 40;

// The last line of a paragraph is short, the first one may be indented; both stand next to lines of the text.
function addLastLines(lines: readonly Line[], prose: Set<Line>): void {
  const sorted = [...lines].sort((a, b) => a.baseline - b.baseline);
  const known = new Set(prose);
  const page = { sorted, known };
  for (const [index, line] of sorted.entries()) {
    if (known.has(line)) continue;
    if (isNextToText(page, index, -1) || isNextToText(page, index, 1)) prose.add(line);
  }
}

function isNextToText(
  { sorted, known }: { sorted: readonly Line[]; known: ReadonlySet<Line> },
  index: number,
  step: 1 | -1,
): boolean {
  const line = sorted[index] as Line;
  for (let at = index + step; Math.abs(at - index) < maxNeighbours; at += step) {
    const other = sorted[at];
    const distance = other === undefined ? Infinity : Math.abs(other.baseline - line.baseline);
    if (other === undefined || distance > line.size * 1.5) return false;
    if (distance > 0 && known.has(other) && continues(line, other, step)) return true;
  }
  return false;
}

function continues(line: Line, other: Line, step: number): boolean {
  if (Math.abs(other.size - line.size) > 0.6 || line.right > other.right + endSlack) return false;
  const indent = line.left - other.left;
  return step < 0 ? Math.abs(indent) <= 2 : isWordy(line) && indent >= -2 && indent < line.size * 3;
}
