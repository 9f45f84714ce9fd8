import { splitPythonSpaces } from "../python/python-text.ts";

/**
 * An answer as SQuAD's evaluation script compares it (version 1.1, `normalize_answer`): lower case, without ASCII punctuation,
 * without the words "a", "an" and "the", with single spaces.
 */
export function normaliseAnswer(text: string): string {
  const letters = text.toLowerCase().replace(/[!-/:-@[-`{-~]+/g, "");
  // \b of Python knows the letters and digits of every script, that of JavaScript only ASCII.
  const words = letters.replace(/\b(?:a|an|the)\b/g, (article: string, at: number) =>
    isLetterBefore(letters, at) || isLetterAt(letters, at + article.length) ? article : " ",
  );
  return splitPythonSpaces(words).join(" ");
}

function isLetterBefore(text: string, at: number): boolean {
  if (at === 0 || text.charCodeAt(at - 1) < 0x80) return false;
  return (
    isLetterAt(text, at - 1) || (at > 1 && (text.codePointAt(at - 2) as number) > 0xffff && isLetterAt(text, at - 2))
  );
}

const isLetterAt = (text: string, at: number): boolean =>
  text.charCodeAt(at) >= 0x80 && /[\p{L}\p{N}]/u.test(String.fromCodePoint(text.codePointAt(at) as number));

/**
 * The same for texts in Chinese or Japanese, of this project's own making: full-width forms become ASCII (NFKC), all
 * punctuation goes, and so does the white space beside ideographs and kana.
 */
export const normaliseCjkAnswer = (text: string): string =>
  normaliseAnswer(text.normalize("NFKC").replace(/\p{P}/gu, "")).replace(
    /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]) | (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu,
    "",
  );
