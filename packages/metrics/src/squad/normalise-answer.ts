import { lowerAlphanumerics, type Tokens, toStrings } from "../ngrams/tokens.ts";
import { findPythonWords } from "../python/python-text.ts";

/**
 * The words of an answer as SQuAD's evaluation script compares them (version 1.1, `normalize_answer`): lower case, without
 * ASCII punctuation, without the words "a", "an" and "the".
 */
export function findAnswerWords(answer: string): Tokens {
  const { text, bounds } = findPythonWords(answer.toLowerCase().replace(/[!-/:-@[-`{-~]+/g, ""));
  const kept: number[] = [];
  for (let index = 0; index < bounds.length; index += 2) {
    const [start, end] = [bounds[index] as number, bounds[index + 1] as number];
    if (!isPlain(text, start, end)) for (const place of cutArticles(text.slice(start, end))) kept.push(start + place);
    else if (end - start > 3 || !articles.has(text.slice(start, end))) kept.push(start, end);
  }
  return { text, bounds: kept };
}

/** The answer with nothing but those words, and single spaces. */
export const normaliseAnswer = (answer: string): string => toStrings(findAnswerWords(answer)).join(" ");

const articles = new Set(["a", "an", "the"]);

/** Whether a word is all letters and digits of ASCII, so that no part of it can be a word of its own. */
function isPlain(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (lowerAlphanumerics[text.charCodeAt(at)] === 0) return false;
  return true;
}

/** What is left of a word without the articles in it, as places in the word. */
function cutArticles(word: string): readonly number[] {
  const bounds: number[] = [];
  let start = 0;
  // \b of Python knows the letters and digits of every script, that of JavaScript only ASCII.
  for (const { 0: article, index } of word.matchAll(/\b(?:a|an|the)\b/g)) {
    const end = index + article.length;
    if (isLetterBefore(word, index) || isLetterAt(word, end)) continue;
    if (start < index) bounds.push(start, index);
    start = end;
  }
  if (start < word.length) bounds.push(start, word.length);
  return bounds;
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
