import { AppError } from "@attune/service-kit/app-error.ts";
import type { ApiLimiter, Clock } from "./api-limiter.ts";
import { startDeadline } from "./deadline.ts";
import { type ApiRequest, type ApiResponse, exchange, type ExchangeDeps } from "./exchange.ts";
import { ApiRefusal } from "./to-refusal.ts";
import { TransportError } from "./to-transport-failure.ts";

export interface CallDeps extends ExchangeDeps {
  readonly limiter: ApiLimiter;
  readonly clock: Clock;
  /** A number from 0 to below 1. */
  readonly random: () => number;
}

export interface ApiCall extends ApiResponse, Disposable {}

/**
 * Calls an API: waits for a free place, sends the request, and repeats it where that is safe. The place is held until the
 * call is disposed, which its reader does when it has read the answer.
 * @throws AppError `MODEL_API_…`; the reason of `signal` when it aborts.
 */
export async function callApi(request: ApiRequest, deps: CallDeps, signal: AbortSignal): Promise<ApiCall> {
  const { limiter, settings } = deps;
  const place = await limiter.enter(signal);
  const total = startDeadline(settings.totalTimeoutMs, "its whole answer");
  // Ends the connection of an answer that was not read to its end; nothing happens to one that was.
  const done = new AbortController();
  const release = (): void => {
    done.abort();
    total[Symbol.dispose]();
    place[Symbol.dispose]();
  };
  try {
    const response = await sendWithRetries(request, deps, AbortSignal.any([signal, total.signal, done.signal]));
    return { ...response, [Symbol.dispose]: release };
  } catch (error) {
    release();
    throw error;
  }
}

async function sendWithRetries(request: ApiRequest, deps: CallDeps, signal: AbortSignal): Promise<ApiResponse> {
  const { limiter, settings, clock } = deps;
  for (let attempt = 1; ; attempt++) {
    await limiter.untilAllowed(signal);
    try {
      return await exchange(request, deps, signal);
    } catch (error) {
      const waitMs = retryWaitMs(error, { ...deps, attempt });
      if (waitMs === undefined || attempt >= settings.maxAttempts) throw error;
      // The API asked everybody to pause, so no other call to it begins meanwhile.
      if (error instanceof AppError && error.details.retryAfterMs !== undefined) limiter.holdBack(waitMs);
      await clock.sleep(waitMs, signal);
    }
  }
}

interface RetryContext extends Pick<CallDeps, "settings" | "random"> {
  readonly attempt: number;
}

/** The wait before the next attempt: random up to a bound that doubles, after what the API asked for; undefined: none. */
function retryWaitMs(error: unknown, { settings, random, attempt }: RetryContext): number | undefined {
  if (!(error instanceof AppError) || !isSafeToRepeat(error)) return undefined;
  const { retryBaseMs, retryMaxMs } = settings;
  const askedMs = error.details.retryAfterMs ?? 0;
  if (askedMs > retryMaxMs) return undefined;
  return askedMs + random() * Math.min(retryMaxMs, retryBaseMs * 2 ** (attempt - 1));
}

const repeatableStatuses = new Set([429, 502, 503, 504]);

/** Whether the API cannot have worked on the request: it said so, or no answer began. */
function isSafeToRepeat({ reason, cause }: AppError): boolean {
  if (cause instanceof ApiRefusal) {
    return repeatableStatuses.has(cause.status) && reason !== "MODEL_API_QUOTA_EXHAUSTED";
  }
  const isTemporaryDns = cause instanceof TransportError && cause.code === "EAI_AGAIN";
  return reason === "MODEL_API_UNREACHABLE" || (reason === "MODEL_API_HOST_UNKNOWN" && isTemporaryDns);
}
