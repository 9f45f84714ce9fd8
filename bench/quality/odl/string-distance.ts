/**
 * Distances of texts by code points, 32 rows of the matrix at a time: Hyyrö, "Bit-Parallel LCS-length Computation Revisited"
 * (2004), and Myers, "A Fast Bit-Vector Algorithm for Approximate String Matching" (1999), with Hyyrö's blocks (2003).
 */

/** 2 · LCS / (length + length): the normalised indel similarity. 1 for two empty texts. */
export function indelSimilarity(one: string, other: string): number {
  const [a, b] = [codePoints(one), codePoints(other)];
  if (a.length + b.length === 0) return 1;
  return (2 * commonLength(a, b)) / (a.length + b.length);
}

/** Levenshtein's distance divided by the longer length. 0 for two empty texts. */
export function editShare(one: string, other: string): number {
  return createEditShare()(one, other);
}

/** `editShare` for many pairs of few texts: what it finds out about a text it keeps. */
export function createEditShare(): (one: string, other: string) => number {
  const kept = new Map<string, Prepared>();
  const prepare = (text: string): Prepared => {
    let prepared = kept.get(text);
    if (prepared === undefined) kept.set(text, (prepared = matchMasks(codePoints(text))));
    return prepared;
  };
  return (one, other) => {
    if (one === other) return 0;
    const [a, b] = [prepare(one), prepare(other)];
    return editDistance(a, b.codePoints) / Math.max(a.codePoints.length, b.codePoints.length);
  };
}

interface Prepared {
  readonly codePoints: Uint32Array;
  /** For each code point the places where the text has it, as bits. */
  readonly masks: ReadonlyMap<number, Int32Array>;
  readonly none: Int32Array;
}

function codePoints(text: string): Uint32Array {
  return Uint32Array.from(text, (character) => character.codePointAt(0)!);
}

function commonLength(a: Uint32Array, b: Uint32Array): number {
  const { masks, none } = matchMasks(a);
  const unmatched = new Int32Array(none.length).fill(-1);
  for (const codePoint of b) {
    const mask = masks.get(codePoint);
    if (mask === undefined) continue;
    let carry = 0;
    for (let word = 0; word < unmatched.length; word += 1) {
      const row = unmatched[word]!;
      const hit = row & mask[word]!;
      const sum = (row + hit + carry) | 0;
      carry = ((row & hit) | ((row | hit) & ~sum)) >>> 31;
      unmatched[word] = sum | (row & ~hit);
    }
  }
  let common = 0;
  for (let row = 0; row < a.length; row += 1) common += ((unmatched[row >>> 5]! >>> (row & 31)) & 1) ^ 1;
  return common;
}

function editDistance({ codePoints: a, masks, none }: Prepared, b: Uint32Array): number {
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  const more = new Int32Array(none.length).fill(-1);
  const less = new Int32Array(none.length);
  const lastWord = none.length - 1;
  const lastShift = (a.length - 1) & 31;
  let distance = a.length;
  for (const codePoint of b) {
    const mask = masks.get(codePoint) ?? none;
    let rises = 1;
    let falls = 0;
    for (let word = 0; word <= lastWord; word += 1) {
      const above = more[word]!;
      const match = mask[word]! | falls;
      const diagonal = (((match & above) + above) ^ above) | match | less[word]!;
      const rising = less[word]! | ~(diagonal | above);
      const falling = diagonal & above;
      if (word === lastWord) distance += ((rising >>> lastShift) & 1) - ((falling >>> lastShift) & 1);
      const right = (rising << 1) | rises;
      more[word] = (falling << 1) | falls | ~(diagonal | right);
      less[word] = right & diagonal;
      rises = rising >>> 31;
      falls = falling >>> 31;
    }
  }
  return distance;
}

function matchMasks(text: Uint32Array): Prepared {
  const wordCount = (text.length + 31) >>> 5;
  const masks = new Map<number, Int32Array>();
  for (const [index, codePoint] of text.entries()) {
    let mask = masks.get(codePoint);
    if (mask === undefined) masks.set(codePoint, (mask = new Int32Array(wordCount)));
    mask[index >>> 5]! |= 1 << (index & 31);
  }
  return { codePoints: text, masks, none: new Int32Array(wordCount) };
}
