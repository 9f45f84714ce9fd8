import { type Line, toLine } from "./line.ts";
import type { Word } from "./word.ts";

const minRun = 4;

/** Joins letters set apart for effect (`A B S T R A C T`) to words again; wider gaps among them part the words. */
export function joinLetterSpacing(line: Line): Line {
  if (!isSpaced(line)) return line;
  const gaps = line.words.slice(1).map((word, index) => word.left - (line.words[index] as Word).right);
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length * 0.4)] ?? 0;
  const words = line.words.map((word, index) =>
    index > 0 && (gaps[index - 1] as number) <= Math.max(usual * 1.6, usual + line.size * 0.12)
      ? { ...word, isGlued: true }
      : word,
  );
  return toLine(words);
}

// Nearly all single letters, or capitals in bits of one or two letters, as kerned pairs stay together.
function isSpaced({ words }: Line): boolean {
  const single = words.filter(({ text }) => /^\p{L}$/u.test(text)).length;
  if (single >= minRun && single >= words.length * 0.75) return true;
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.length > minRun && letters <= words.length * 2 && words.every(({ text }) => /^\p{Lu}+$/u.test(text));
}
