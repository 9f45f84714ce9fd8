const fewestShare = 0.05;

/**
 * Whether texts are written mostly without spaces between words, in Chinese or Japanese. The usual words of metrics are those of
 * Latin letters, by which such texts have none or a single one.
 */
export function isInIdeographs(texts: readonly string[]): boolean {
  let ideographs = 0;
  let letters = 0;
  for (const text of texts) {
    ideographs += text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
    letters += text.match(/\p{L}/gu)?.length ?? 0;
  }
  // A text in ideographs has far fewer letters than one that says the same in Latin ones.
  return ideographs > fewestShare * letters;
}
