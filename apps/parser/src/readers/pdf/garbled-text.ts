import type { Glyph } from "./page-content.ts";

const minLetters = 40;

/** Judges whether the text layer of a page says what the page shows, from the characters alone. */
export class GarbleMeter {
  #all = 0;
  #unknown = 0;
  #latin = 0;
  #vowels = 0;
  #mixed = 0;

  constructor(glyphs: readonly Pick<Glyph, "text">[]) {
    let previous = "";
    for (const { text } of glyphs) {
      this.#count(text, previous);
      previous = text;
    }
  }

  /**
   * Private-use and replacement characters for more than a tenth of the glyphs, or Latin letters as no language has them:
   * hardly a vowel among them, or digits and symbols within most words.
   */
  get isGarbled(): boolean {
    if (this.#all < minLetters) return this.#unknown > this.#all * 0.5 && this.#all > 4;
    if (this.#unknown > this.#all * 0.1) return true;
    if (this.#latin < Math.max(200, this.#all * 0.5)) return false;
    return this.#vowels < this.#latin * 0.2 || this.#vowels > this.#latin * 0.75 || this.#mixed > this.#latin * 0.25;
  }

  #count(text: string, previous: string): void {
    this.#all++;
    const code = text.codePointAt(0) ?? 0;
    if (code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000) this.#unknown++;
    if (!isLatin(code)) return;
    this.#latin++;
    if (vowels.has(code)) this.#vowels++;
    if (code <= 0x5a && isSmall(previous.charCodeAt(0))) this.#mixed++;
  }
}

const vowels = new Set(
  Array.from("aeiouyAEIOUYàáâãäåæèéêëìíîïòóôõöøùúûüœÀÁÂÃÄÅÆÈÉÊËÌÍÎÏÒÓÔÕÖØÙÚÛÜŒ", (vowel) => vowel.charCodeAt(0)),
);

function isSmall(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isLatin(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || (code >= 0xc0 && code <= 0x17f);
}
