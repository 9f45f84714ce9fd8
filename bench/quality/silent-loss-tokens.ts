const scripts = "\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Thai}";
const token = new RegExp(`${scripts}|(?:(?!${scripts})[\\p{L}\\p{N}])+`, "gu");
// Soft hyphens, zero-width characters and combining marks make no other word.
const ignorable = /[\u00AD\u200B-\u200F\u2060\uFEFF\p{M}]/gu;

/** Words by their number, case and compatibility forms folded; scripts that set no spaces by the character. */
export function countTokens(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const folded = text.normalize("NFKD").replaceAll(ignorable, "").toLowerCase();
  for (const [word] of folded.matchAll(token)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

export interface Overlap {
  readonly total: number;
  readonly found: number;
  /** The words missed most often, at most 12, each with its number where that is above one. */
  readonly missing: readonly string[];
}

/** How much of what a witness says is in our text, word by word as often as it says it. */
export function compareTokens(witness: ReadonlyMap<string, number>, ours: ReadonlyMap<string, number>): Overlap {
  let total = 0;
  let found = 0;
  const missed: [string, number][] = [];
  for (const [word, count] of witness) {
    const shared = Math.min(count, ours.get(word) ?? 0);
    total += count;
    found += shared;
    if (shared < count) missed.push([word, count - shared]);
  }
  missed.sort(([, one], [, other]) => other - one);
  return { total, found, missing: missed.slice(0, 12).map(([word, count]) => (count > 1 ? `${word}×${count}` : word)) };
}
