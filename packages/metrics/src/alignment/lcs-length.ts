import { requireAlignable } from "./alignment-limit.ts";
import { advanceColumn, firstColumn, lengthOfColumn, toSymbolBits } from "./lcs-columns.ts";
import { trimCommonEnds } from "./trim-common-ends.ts";

/**
 * The length of the longest common subsequence of two sequences. Time grows with the product of the lengths, divided by 32;
 * memory with their sum. Throws `too_long`.
 */
export function lcsLength(one: Int32Array, other: Int32Array): number {
  const trimmed = trimCommonEnds(one, other);
  const [shared, sharedOther] = [keepShared(trimmed.one, trimmed.other), keepShared(trimmed.other, trimmed.one)];
  requireAlignable(Math.ceil(shared.length / 32) * sharedOther.length);
  const bits = toSymbolBits(shared);
  const column = firstColumn(shared.length);
  for (const symbol of sharedOther) advanceColumn(column, bits.get(symbol) as readonly number[]);
  return trimmed.removed + lengthOfColumn(column);
}

/** The symbols that the other sequence has too: no others can be common. */
function keepShared(symbols: Int32Array, other: Int32Array): Int32Array {
  const known = new Set(other);
  return symbols.filter((symbol) => known.has(symbol));
}
