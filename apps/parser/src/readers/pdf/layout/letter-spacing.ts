import { type Line, toLine } from "./line.ts";
import type { Word } from "./word.ts";

const minRun = 4;

/** Joins letters set apart for effect (`A B S T R A C T`) to words again; wider gaps among them part the words. */
export function joinLetterSpacing(line: Line): Line {
  const single = line.words.filter(({ text }) => /^\p{L}$/u.test(text)).length;
  if (single < minRun || single < line.words.length * 0.75) return line;
  const gaps = line.words.slice(1).map((word, index) => word.left - (line.words[index] as Word).right);
  const usual = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length * 0.4)] ?? 0;
  const words = line.words.map((word, index) =>
    index > 0 && (gaps[index - 1] as number) <= Math.max(usual * 1.6, usual + line.size * 0.12)
      ? { ...word, isGlued: true }
      : word,
  );
  return toLine(words);
}
