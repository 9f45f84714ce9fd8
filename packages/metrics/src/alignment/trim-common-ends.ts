/** Cuts off what two sequences have in common at their starts and ends; `removed` counts it once. */
export function trimCommonEnds(
  one: Int32Array,
  other: Int32Array,
): { readonly one: Int32Array; readonly other: Int32Array; readonly removed: number } {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return {
    one: one.subarray(start, one.length - end),
    other: other.subarray(start, other.length - end),
    removed: start + end,
  };
}
