/**
 * What a text is made of, for comparing by TF-IDF: its words, and its characters and pairs of neighbouring characters, each
 * with its number. After Unicode NFKC and lower case; punctuation separates. Words are those of `Intl.Segmenter`, which
 * knows Chinese and Japanese ones, and may differ between versions of ICU: see `segmenterVersion`.
 */
export function countFeatures(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (feature: string): void => void counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const clean = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
  for (const { segment, isWordLike } of segmenter.segment(clean)) if (isWordLike === true) count(`w${segment}`);
  for (const run of clean.split(" ")) {
    let before = "";
    for (const character of run) {
      count(`1${character}`);
      if (before !== "") count(`2${before}${character}`);
      before = character;
    }
  }
  return counts;
}

/** The version of ICU that splits the words. */
export const segmenterVersion = process.versions["icu"] ?? "unknown";

const segmenter = new Intl.Segmenter("und", { granularity: "word" });
