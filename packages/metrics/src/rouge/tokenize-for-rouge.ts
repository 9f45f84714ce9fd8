import { stemWord } from "./porter-stemmer.ts";

/**
 * Words of rouge_score 0.1.2: runs of a to z and 0 to 9 of the text in lower case. Everything else separates words, so that a
 * Chinese text has none, and scores 0.
 */
export const tokenizeForRouge = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** The same with `use_stemmer=True`: words of more than three letters are stemmed. */
export const tokenizeAndStem = (text: string): string[] =>
  tokenizeForRouge(text).map((word) => (word.length > 3 ? findStem(word) : word));

function findStem(word: string): string {
  if (word.length > longestKept) return stemWord(word);
  let stem = stems.get(word);
  if (stem !== undefined) return stem;
  stem = stemWord(word);
  // Texts repeat their words; hostile ones shall not fill the memory with new ones.
  if (stems.size >= mostKept) stems.clear();
  stems.set(word, stem);
  return stem;
}

const stems = new Map<string, string>();
const mostKept = 50_000;
const longestKept = 40;
