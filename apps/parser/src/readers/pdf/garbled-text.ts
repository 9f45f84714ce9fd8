import type { Glyph } from "./page-content.ts";

const minLetters = 40;
/** Runs of one letter thrice, as no word of Arabic or Hebrew has them, that a text may still hold. */
const maxTriples = { count: 5, share: 0.01 };

/** Judges whether the text layer of a page says what the page shows, from the characters alone. */
export class GarbleMeter {
  #all = 0;
  #unknown = 0;
  #latin = 0;
  #vowels = 0;
  #mixed = 0;
  #leftward = 0;
  #triples = 0;

  constructor(glyphs: readonly Pick<Glyph, "text">[]) {
    let previous = "";
    let before = "";
    for (const { text } of glyphs) {
      this.#count(text, previous, before);
      before = previous;
      previous = text;
    }
  }

  /**
   * Private-use and replacement characters for more than a tenth of the glyphs; Latin letters as no language has them: hardly
   * a vowel among them, or digits and symbols within most words; or letters of right-to-left scripts three times in a row.
   */
  get isGarbled(): boolean {
    if (this.#all < minLetters) return this.#unknown > this.#all * 0.5 && this.#all > 4;
    if (this.#unknown > this.#all * 0.1) return true;
    if (this.#triples > Math.max(maxTriples.count, this.#leftward * maxTriples.share)) return true;
    if (this.#latin < Math.max(200, this.#all * 0.5)) return false;
    return this.#vowels < this.#latin * 0.2 || this.#vowels > this.#latin * 0.75 || this.#mixed > this.#latin * 0.25;
  }

  #count(text: string, previous: string, before: string): void {
    this.#all++;
    const code = text.codePointAt(0) ?? 0;
    if (isUnknown(code)) this.#unknown++;
    if (isLeftward(code)) {
      this.#leftward++;
      if (text === previous && text === before) this.#triples++;
    }
    if (!isLatin(code)) return;
    this.#latin++;
    if (isVowel(text, code)) this.#vowels++;
    if (code <= 0x5a && isSmall(previous.charCodeAt(0))) this.#mixed++;
  }
}

const asciiVowels = Uint8Array.from({ length: 0x80 }, (_, code) =>
  Number("aeiouyAEIOUY".includes(String.fromCharCode(code))),
);
/** What is left of a vowel without its marks; the letters after the first six have none to take off. */
const vowel = /^[aeiouyæœøıə]/i;

function isVowel(text: string, code: number): boolean {
  return code < 0x80 ? asciiVowels[code] === 1 : vowel.test(text.normalize("NFD"));
}

// The replacement character and the private use areas.
function isUnknown(code: number): boolean {
  return code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000;
}

function isSmall(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

// Basic letters, those of Europe, and those of Vietnamese.
function isLatin(code: number): boolean {
  if (code < 0x80) return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return (code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7) || (code >= 0x1e00 && code <= 0x1eff);
}

/** Letters of Hebrew and Arabic but the stroke (kashida) that only draws words out. */
function isLeftward(code: number): boolean {
  return (code >= 0x5d0 && code <= 0x5ea) || (code >= 0x620 && code <= 0x6d3 && code !== 0x640);
}
