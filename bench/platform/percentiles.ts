/** Milliseconds by share, of the sorted times: the smallest that so many are not above. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const sortTimes = (times: readonly number[]): number[] => times.toSorted((a, b) => a - b);

/** With a digit behind the point below 100. */
export const formatMs = (ms: number): string => (ms < 100 ? ms.toFixed(1) : String(Math.round(ms)));
