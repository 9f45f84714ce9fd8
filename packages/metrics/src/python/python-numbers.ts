/**
 * `round(value, 4)` of Python: the nearest multiple of 0.0001, and of two that are equally near the even one. `toFixed`
 * takes the greater one. For values of [0, 100].
 */
export function roundToFourPlaces(value: number): number {
  // A binary fraction lies half way between two multiples of 1/10000 only when it is an odd number of 1/32.
  const thirtySeconds = value * 32;
  if (!Number.isInteger(thirtySeconds) || thirtySeconds % 2 === 0) return Number(value.toFixed(4));
  const below = Math.floor(value * 10_000);
  return (below % 2 === 0 ? below : below + 1) / 10_000;
}

/** `math.fsum`: the exact sum, rounded once. For finite values (Shewchuk, "Adaptive Precision Arithmetic", 1997). */
export function sumExactly(values: readonly number[]): number {
  const partials: number[] = [];
  for (const value of values) {
    let rest = value;
    let kept = 0;
    for (const partial of partials) {
      const [larger, smaller] = Math.abs(rest) < Math.abs(partial) ? [partial, rest] : [rest, partial];
      const sum = larger + smaller;
      const error = smaller - (sum - larger);
      if (error !== 0) partials[kept++] = error;
      rest = sum;
    }
    partials.length = kept;
    partials.push(rest);
  }
  return roundPartials(partials);
}

/** Adds partial sums that do not overlap, from the greatest down, and rounds a tie to even by the partial below. */
function roundPartials(partials: readonly number[]): number {
  let at = partials.length - 1;
  if (at < 0) return 0;
  let high = partials[at] as number;
  let low = 0;
  while (at > 0 && low === 0) {
    const next = partials[--at] as number;
    const sum = high + next;
    low = next - (sum - high);
    high = sum;
  }
  const below = at > 0 ? (partials[at - 1] as number) : 0;
  if ((low < 0 && below < 0) || (low > 0 && below > 0)) {
    const doubled = low * 2;
    const rounded = high + doubled;
    if (doubled === rounded - high) return rounded;
  }
  return high;
}
