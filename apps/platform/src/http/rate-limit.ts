import { AppError } from "@attune/service-kit/app-error.ts";

export interface RateSettings {
  /** Requests a second that one caller may make in the long run. */
  readonly perSecond: number;
  /** Requests that may come at once. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Callers remembered; beyond it the one that was seen longest ago is forgotten. */
const maxBuckets = 50_000;

/**
 * A bucket of tokens for each caller, of this node alone: it keeps one caller from taking the whole node, and is no quota.
 * @returns a function that takes one token of a caller. @throws AppError RATE_LIMITED with the time to wait.
 */
export function createRateLimit({ perSecond, burst }: RateSettings, nowMs: () => number = () => performance.now()) {
  const buckets = new Map<string, Bucket>();
  return (caller: string): void => {
    const now = nowMs();
    const known = buckets.get(caller);
    const tokens =
      known === undefined ? burst : Math.min(burst, known.tokens + ((now - known.atMs) / 1000) * perSecond);
    // Written anew, so that the map stays in the order of last use.
    buckets.delete(caller);
    buckets.set(caller, { tokens: Math.max(0, tokens - 1), atMs: now });
    const [oldest] = buckets.keys();
    if (buckets.size > maxBuckets && oldest !== undefined) buckets.delete(oldest);
    if (tokens < 1) throw new AppError("RATE_LIMITED", { retryAfterMs: ((1 - tokens) / perSecond) * 1000 });
  };
}
