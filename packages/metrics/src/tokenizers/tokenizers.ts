import { isPythonSpace, splitPythonSpaces } from "../python/python-text.ts";
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
  none: splitPythonSpaces,
} as const satisfies Record<string, (text: string) => string[]>;

export type TokenizerName = keyof typeof tokenizers;

/** `tok:char`: every code point but white space is a token. */
function tokenizeCharacters(text: string): string[] {
  const tokens: string[] = [];
  for (const character of text) if (!isPythonSpace(character.charCodeAt(0))) tokens.push(character);
  return tokens;
}
