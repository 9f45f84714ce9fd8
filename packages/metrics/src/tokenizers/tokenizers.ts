import type { Tokens } from "../ngrams/tokens.ts";
import { findPythonWords, isPythonSpace } from "../python/python-text.ts";
import { tokenize13a } from "./tokenize-13a.ts";
import { tokenizeIntl } from "./tokenize-intl.ts";
import { tokenizeZh } from "./tokenize-zh.ts";

/**
 * Tokenizers of sacreBLEU 2.6.0, by the name that its signature gives them. Those of its tokenizers that need a model or a
 * dictionary (`flores200`, `spm`, `ja-mecab`, `ko-mecab`) are left out.
 */
export const tokenizers = {
  "13a": tokenize13a,
  zh: tokenizeZh,
  char: tokenizeCharacters,
  intl: tokenizeIntl,
  none: findPythonWords,
} as const satisfies Record<string, (text: string) => Tokens>;

export type TokenizerName = keyof typeof tokenizers;

/** `tok:char`: every code point but white space is a token. */
function tokenizeCharacters(text: string): Tokens {
  const bounds: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) as number;
    if (isPythonSpace(point)) continue;
    bounds.push(at, point > 0xffff ? at + 2 : at + 1);
    if (point > 0xffff) at++;
  }
  return { text, bounds };
}
