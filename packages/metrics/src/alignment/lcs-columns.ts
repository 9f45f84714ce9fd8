/**
 * One sequence prepared for bit-parallel alignment with others: for each symbol the words of 32 positions that it occurs in,
 * as pairs of word index and bits.
 */
export type SymbolBits = ReadonlyMap<number, readonly number[]>;

export function toSymbolBits(symbols: Int32Array): SymbolBits {
  const bits = new Map<number, number[]>();
  for (let at = 0; at < symbols.length; at++) {
    const symbol = symbols[at] as number;
    const word = at >>> 5;
    const pairs = bits.get(symbol);
    if (pairs === undefined) bits.set(symbol, [word, 1 << at]);
    else if (pairs.at(-2) === word) pairs[pairs.length - 1] = (pairs.at(-1) as number) | (1 << at);
    else pairs.push(word, 1 << at);
  }
  return bits;
}

/** The column before the first symbol of the other sequence. */
export const firstColumn = (length: number): Int32Array => new Int32Array(Math.ceil(length / 32)).fill(-1);

/**
 * Takes the table of longest common subsequences one column on, in place: bit i is 0 where the length grows from row i to
 * row i + 1 (Hyyrö, "Bit-Parallel LCS-length Computation Revisited", 2004). `pairs` are the bits of the column's symbol.
 */
export function advanceColumn(column: Int32Array, pairs: readonly number[]): void {
  let next = 0;
  let carry = 0;
  for (let word = pairs[0] as number; word < column.length; word++) {
    if (carry === 0 && next >= pairs.length) return;
    if (carry === 0) word = pairs[next] as number;
    let mask = 0;
    if (pairs[next] === word) {
      mask = pairs[next + 1] as number;
      next += 2;
    }
    const old = column[word] as number;
    const sum = (old >>> 0) + ((old & mask) >>> 0) + carry;
    carry = sum > 0xffff_ffff ? 1 : 0;
    column[word] = sum | 0 | (old & ~mask);
  }
}

/** The length of the longest common subsequence that a column stands for. */
export function lengthOfColumn(column: Int32Array): number {
  let zeros = 0;
  for (let word = 0; word < column.length; word++) zeros += countBits(~(column[word] as number));
  return zeros;
}

function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
