import { findRuns, lowerAlphanumerics, type Tokens, toStrings } from "../ngrams/tokens.ts";
import { stemWord } from "./porter-stemmer.ts";

/**
 * Words of rouge_score 0.1.2: runs of a to z and 0 to 9 of the text in lower case. Everything else separates words, so that a
 * Chinese text has none, and scores 0.
 */
export const tokenizeForRouge = (text: string): Tokens => findRuns(text.toLowerCase(), lowerAlphanumerics);

/** The same with `use_stemmer=True`: words of more than three letters are stemmed. */
export function tokenizeAndStem(text: string): Tokens {
  let stems = "";
  const bounds: number[] = [];
  for (const word of toStrings(tokenizeForRouge(text))) {
    bounds.push(stems.length);
    stems += word.length > 3 ? findStem(word) : word;
    bounds.push(stems.length);
  }
  return { text: stems, bounds };
}

function findStem(word: string): string {
  if (word.length > longestKept) return stemWord(word);
  let stem = knownStems.get(word);
  if (stem !== undefined) return stem;
  stem = stemWord(word);
  // Texts repeat their words; hostile ones shall not fill the memory with new ones.
  if (knownStems.size >= mostKept) knownStems.clear();
  knownStems.set(word, stem);
  return stem;
}

const knownStems = new Map<string, string>();
const mostKept = 50_000;
const longestKept = 40;
