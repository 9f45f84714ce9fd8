import type { Box } from "../page-content.ts";
import type { Word } from "./word.ts";

/** Words that stand beside each other on one baseline, without a wide gap between them. */
export interface Line extends Box {
  readonly words: readonly Word[];
  readonly baseline: number;
  /** Em of most of its letters. */
  readonly size: number;
}

/** Words drawn one after another stay on one line up to this gap, in ems; wider ones may be columns. */
const followingGap = 1.05;
/** Pieces that were not drawn one after another are joined only up to this gap. */
const strayGap = 0.6;
/** Words of a run that are looked at for its ends. */
const maxLookBack = 200;
/** Pieces beyond which a page is a drawing and each stays alone. */
const maxJoined = 6000;

/** Gathers words into lines: first those drawn in succession, then pieces that touch. */
export function findLines(words: readonly Word[]): Line[] {
  const lines: Line[] = [];
  let run: Word[] = [];
  for (const word of words) {
    const last = run.at(-1);
    if (last !== undefined && !continuesRun(run, last, word)) {
      lines.push(toLine(run));
      run = [];
    }
    run.push(word);
  }
  if (run.length > 0) lines.push(toLine(run));
  return lines.length > maxJoined ? lines : joinTouching(lines);
}

function continuesRun(run: readonly Word[], last: Word, word: Word): boolean {
  const em = Math.max(last.style.size, word.style.size);
  const gap = word.isBackward || last.isBackward ? gapBeside(run, word, em) : word.left - last.right;
  if (gap > em * followingGap || gap < -em * 0.5) return false;
  return standsOn(mainWord(run), word);
}

// Words that run against the frame go on at either end of their run.
function gapBeside(run: readonly Word[], word: Word, em: number): number {
  const left = Math.min(...run.slice(-maxLookBack).map((other) => other.left));
  const right = Math.max(...run.slice(-maxLookBack).map((other) => other.right));
  return word.right <= left + em * 0.5 ? left - word.right : word.left - right;
}

/** Whether a word belongs to the line of another one: same baseline, or a script beside it. */
export function standsOn(main: Word, word: Word): boolean {
  const large = Math.max(main.style.size, word.style.size);
  const small = Math.min(main.style.size, word.style.size);
  const rise = main.baseline - word.baseline;
  if (Math.abs(rise) <= small * 0.25) return true;
  if (small > large * 0.88) return Math.abs(rise) <= small * 0.42 && (word.text.length < 4 || main.text.length < 4);
  const up = word.style.size < main.style.size ? rise : -rise;
  return up > -large * 0.4 && up < large * 0.75;
}

function mainWord(run: readonly Word[]): Word {
  let main = run[0] as Word;
  for (const word of run) if (word.style.size > main.style.size * 1.05) main = word;
  return main;
}

export function toLine(drawn: readonly Word[]): Line {
  // Where all run one way the drawn order is kept, which tells letters over one another apart.
  const words = drawn.some(({ isBackward }) => isBackward) ? drawn.toSorted((a, b) => a.left - b.left) : drawn;
  const sizes = new Map<number, number>();
  let left = Infinity;
  let right = -Infinity;
  let top = Infinity;
  let bottom = -Infinity;
  for (const word of words) {
    sizes.set(word.style.size, (sizes.get(word.style.size) ?? 0) + word.text.length);
    left = Math.min(left, word.left);
    right = Math.max(right, word.right);
    top = Math.min(top, word.top);
    bottom = Math.max(bottom, word.bottom);
  }
  let size = 0;
  let most = 0;
  for (const [candidate, count] of sizes) {
    if (count > most || (count === most && candidate > size)) [size, most] = [candidate, count];
  }
  const main = words.find((word) => word.style.size === size) as Word;
  return { words, left, right, top, bottom, baseline: main.baseline, size };
}

// Pieces of one line drawn at different times (fonts first, or cells), and scripts set apart.
function joinTouching(lines: readonly Line[]): Line[] {
  const sorted = [...lines].sort((a, b) => a.baseline - b.baseline || a.left - b.left);
  const gone = new Set<Line>();
  for (let at = 0; at < sorted.length; at++) {
    let line = sorted[at] as Line;
    if (gone.has(line)) continue;
    for (let next = at + 1; next < sorted.length; next++) {
      const other = sorted[next] as Line;
      if (other.top > line.bottom) break;
      if (gone.has(other) || !touches(line, other)) continue;
      gone.add(other);
      line = toLine(mergeWords(line, other));
      next = at;
    }
    sorted[at] = line;
  }
  const kept = sorted.filter((line) => !gone.has(line));
  return kept.sort((a, b) => (a.words[0] as Word).order - (b.words[0] as Word).order);
}

function touches(a: Line, b: Line): boolean {
  const em = Math.max(a.size, b.size);
  const gap = a.left <= b.left ? b.left - a.right : a.left - b.right;
  if (gap > em * strayGap || gap < -em * 0.3) return false;
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (small.size > large.size * 0.88) return Math.abs(a.baseline - b.baseline) <= em * 0.2;
  const rise = large.baseline - small.baseline;
  return rise > -em * 0.35 && rise < em * 0.65 && gap <= em * 0.35;
}

/** The words of two pieces of a line from left to right. */
export function mergeWords(a: Line, b: Line): Word[] {
  return [...a.words, ...b.words].sort((x, y) => x.left - y.left);
}
