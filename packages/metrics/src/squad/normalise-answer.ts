import { splitPythonSpaces } from "../python/python-text.ts";

/**
 * An answer as SQuAD's evaluation script compares it (version 1.1, `normalize_answer`): lower case, without ASCII punctuation,
 * without the words "a", "an" and "the", with single spaces.
 */
export function normaliseAnswer(text: string): string {
  const letters = text.toLowerCase().replace(/[!-/:-@[-`{-~]/g, "");
  // \b of Python knows the letters and digits of every script, that of JavaScript only ASCII, but is several times as fast.
  const articles = /[\u0080-\uffff]/.test(letters) ? unicodeArticles : asciiArticles;
  return splitPythonSpaces(letters.replace(articles, " ")).join(" ");
}

const asciiArticles = /\b(?:a|an|the)\b/g;
const unicodeArticles = /(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu;

/**
 * The same for texts in Chinese or Japanese, of this project's own making: full-width forms become ASCII (NFKC), all
 * punctuation goes, and so does the white space beside ideographs and kana.
 */
export const normaliseCjkAnswer = (text: string): string =>
  normaliseAnswer(text.normalize("NFKC").replace(/\p{P}/gu, "")).replace(
    /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]) | (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu,
    "",
  );
