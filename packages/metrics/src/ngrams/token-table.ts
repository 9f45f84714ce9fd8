import { randomInt } from "node:crypto";

/**
 * Numbers tokens, from 1 up in the order of their first use. It knows each by the place where it came first, so that no string
 * is made of a token: an open hash table of typed arrays.
 */
export class TokenTable {
  /** How many different tokens it has room for. */
  readonly capacity: number;
  readonly #slots: Int32Array;
  readonly #hashes: Int32Array;
  readonly #starts: Int32Array;
  readonly #lengths: Int32Array;
  /** The texts in which tokens of these numbers came first. */
  #texts: string[] = [];
  #text = "";
  #mask = 0;
  #size = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#slots = new Int32Array(countSlots(capacity));
    this.#hashes = new Int32Array(capacity + 1);
    this.#starts = new Int32Array(capacity + 1);
    this.#lengths = new Int32Array(capacity + 1);
  }

  /** Forgets all tokens, and makes ready for `tokens` at the most. */
  reset(tokens: number): void {
    const slots = countSlots(tokens);
    this.#slots.fill(0, 0, slots);
    this.#mask = slots - 1;
    this.#size = 0;
    this.#texts = [""];
    this.#text = "";
  }

  /** Takes the text that the tokens from now on are of. */
  open(text: string): void {
    this.#text = text;
  }

  number(start: number, end: number): number {
    const slots = this.#slots;
    const hash = hashOf(this.#text, start, end);
    let slot = hash & this.#mask;
    for (let number = slots[slot] as number; number !== 0; number = slots[slot] as number) {
      if (this.#hashes[number] === hash && this.#isToken(number, start, end)) return number;
      slot = (slot + 1) & this.#mask;
    }
    const number = ++this.#size;
    slots[slot] = number;
    this.#hashes[number] = hash;
    this.#starts[number] = start;
    this.#lengths[number] = end - start;
    this.#texts.push(this.#text);
    return number;
  }

  #isToken(number: number, start: number, end: number): boolean {
    if (this.#lengths[number] !== end - start) return false;
    const text = this.#text;
    const first = this.#texts[number] as string;
    const offset = (this.#starts[number] as number) - start;
    for (let at = start; at < end; at++) if (text.charCodeAt(at) !== first.charCodeAt(at + offset)) return false;
    return true;
  }
}

const countSlots = (tokens: number): number => 2 ** Math.max(6, 33 - Math.clz32(tokens));

// Another one in each process, so that nobody can write a text whose tokens all get one hash.
const seed = randomInt(2 ** 31);

/** FNV-1a over UTF-16 units, with its upper half mixed into the lower, which chooses the slot. */
function hashOf(text: string, start: number, end: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return hash ^ (hash >>> 15);
}
