import type { Tokens } from "../ngrams/tokens.ts";

/**
 * The rule that mteval-v13a, its Chinese variant and mteval-v14 ("international") share: a mark stands alone unless the
 * characters on both its sides are digits. They write it as replacements one after the other,
 *
 *     ([^0-9])([.,]) → "\1 \2 "      ([.,])([^0-9]) → " \1 \2"
 *
 * whose matches may not overlap, so that the last mark of a run stays with the digit behind it in "5.,.6" and not in "5.,6".
 * Here it is one pass; a property test compares it with the replacements.
 */
export const charClass = { word: 0, space: 1, single: 2, mark: 3, digit: 4, hyphen: 5, lead: 6 } as const;

export interface CharClasses {
  /** A class of `charClass` for each UTF-16 unit; `lead` for the first half of a pair whose class `astral` tells. */
  readonly units: Uint8Array;
  /** The class of a code point above U+FFFF. */
  readonly astral?: (point: number) => number;
}

export function splitMarks(text: string, classes: CharClasses): Tokens {
  const reader = new MarkReader(text, classes);
  while (reader.step());
  return { text, bounds: reader.bounds };
}

class MarkReader {
  readonly bounds: number[] = [];
  readonly #text: string;
  readonly #classes: CharClasses;
  #at = 0;
  #tokenStart = 0;
  #before = startOfText;

  constructor(text: string, classes: CharClasses) {
    this.#text = text;
    this.#classes = classes;
  }

  /** Reads one character, or one run of marks; false at the end. */
  step(): boolean {
    if (this.#at >= this.#text.length) {
      this.#endToken();
      return false;
    }
    const kind = this.#classAt(this.#at);
    if (kind === charClass.word) this.#skipWord();
    else if (kind === charClass.mark) this.#readMarks();
    else if (isPartOfWord(kind, this.#before)) this.#at += this.#widthAt(this.#at);
    else this.#standAlone(kind === charClass.space);
    this.#before = kind;
    return true;
  }

  #skipWord(): void {
    const text = this.#text;
    const { units } = this.#classes;
    let at = this.#at + this.#widthAt(this.#at);
    while (at < text.length && units[text.charCodeAt(at)] === charClass.word) at++;
    this.#at = at;
  }

  #readMarks(): void {
    let isSplitBefore = this.#before !== startOfText && this.#before !== charClass.digit;
    let count = 1;
    while (this.#classAt(this.#at + this.#widthAt(this.#at)) === charClass.mark) {
      this.#standAlone(false);
      isSplitBefore = !isSplitBefore;
      count++;
    }
    const after = this.#classAt(this.#at + this.#widthAt(this.#at));
    const staysWithNext = after === charClass.digit || (after === endOfText && count === 1);
    if (!isSplitBefore && staysWithNext) this.#at += this.#widthAt(this.#at);
    else this.#standAlone(false);
  }

  #standAlone(isSpace: boolean): void {
    this.#endToken();
    this.#at += this.#widthAt(this.#at);
    if (isSpace) this.#tokenStart = this.#at;
    else this.#endToken();
  }

  #endToken(): void {
    if (this.#tokenStart < this.#at) this.bounds.push(this.#tokenStart, this.#at);
    this.#tokenStart = this.#at;
  }

  #classAt(at: number): number {
    if (at >= this.#text.length) return endOfText;
    const kind = this.#classes.units[this.#text.charCodeAt(at)] as number;
    if (kind !== charClass.lead) return kind;
    // The first half of a pair without the second is a part of a word.
    const point = this.#text.codePointAt(at) as number;
    return point > 0xffff ? (this.#classes.astral as (point: number) => number)(point) : charClass.word;
  }

  #widthAt(at: number): number {
    if (this.#classes.units[this.#text.charCodeAt(at)] !== charClass.lead) return 1;
    return (this.#text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  }
}

const startOfText = -1;
const endOfText = -2;

const isPartOfWord = (kind: number, before: number): boolean =>
  kind === charClass.digit ||
  // "5-6" is three tokens, "a-b" is one.
  (kind === charClass.hyphen && before !== charClass.digit);
