import type { Look, Passage } from "./passage.ts";

/** How the running text of the document looks. */
export interface BodyLook {
  readonly size: number;
  readonly fontName: string;
}

/** Lines beyond which a passage counts no more. */
const manyLines = 5;

/** The commonest size and font of the document, by letters; those of paragraphs of several lines count more. */
export function findBodyLook(passages: readonly Passage[]): BodyLook {
  const counts = new Map<string, { look: Look; count: number }>();
  for (const { look, text, lineCount } of passages) {
    const key = `${look.fontName} ${Math.round(look.size * 2)}`;
    const weight = text.length * Math.min(lineCount, manyLines);
    const entry = counts.get(key);
    if (entry === undefined) counts.set(key, { look, count: weight });
    else entry.count += weight;
  }
  const most = [...counts.values()].sort((a, b) => b.count - a.count)[0];
  return { size: most?.look.size ?? 10, fontName: most?.look.fontName ?? "" };
}

/** Least letters of running text, and the share of its words that begin small in scripts that know capitals. */
const minProse = { letters: 60, lowerShare: 0.45 };

/** Whether a passage is running text and not a label, an address, a list of names or data. */
export function isProse({ text, lineCount, codeText }: Passage): boolean {
  if (codeText !== undefined || (lineCount < 2 && text.length < minProse.letters)) return false;
  const words = text.slice(0, 400).match(/\p{L}+/gu) ?? [];
  if (words.length === 0) return false;
  const cased = words.filter((word) => word.toLowerCase() !== word.toUpperCase());
  // Scripts without capitals.
  if (cased.length < words.length / 2) return text.length >= minProse.letters / 3;
  const lower = cased.filter((word) => word[0] === word[0]?.toLowerCase()).length;
  return text.length >= minProse.letters && lower >= cased.length * minProse.lowerShare;
}
