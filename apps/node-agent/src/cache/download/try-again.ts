import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheSettings } from "../cache-settings.ts";

export type RetryPolicy = Pick<CacheSettings, "maxAttempts" | "retryBaseMs" | "retryMaxMs">;

/** Does something up to `maxAttempts` times while it fails for a reason that may pass. @throws the last failure */
export async function tryAgain<T>(work: () => Promise<T>, policy: RetryPolicy, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      await waitBeforeRetry(error, { attempt, policy }, signal);
    }
  }
}

interface Attempt {
  /** From 1. */
  readonly attempt: number;
  readonly policy: RetryPolicy;
}

const passing = new Set(["CACHE_SOURCE_FAILED", "CACHE_SOURCE_TIMEOUT"]);

/** Waits until it is time for another attempt. @throws `error` when there is to be none */
export async function waitBeforeRetry(
  error: unknown,
  { attempt, policy }: Attempt,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (!(error instanceof AppError) || !passing.has(error.reason) || attempt >= policy.maxAttempts) throw error;
  const { retryAfterMs } = error.details;
  if (retryAfterMs !== undefined && retryAfterMs > policy.retryMaxMs) throw asksForTooLong(error, retryAfterMs);
  const upToMs = Math.min(policy.retryMaxMs, policy.retryBaseMs * 2 ** (attempt - 1));
  await sleep(retryAfterMs ?? upToMs * (0.5 + Math.random() / 2), undefined, { signal });
}

function asksForTooLong(error: AppError, retryAfterMs: number): AppError {
  const wait = `It asks to be left alone for ${Math.ceil(retryAfterMs / 1000)} seconds.`;
  const detail = [error.details.detail, wait].filter(Boolean).join(" ");
  return new AppError("CACHE_SOURCE_FAILED", { ...error.details, detail }, error);
}
