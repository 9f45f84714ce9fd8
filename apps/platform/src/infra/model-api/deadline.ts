import { AppError } from "@attune/service-kit/app-error.ts";

export interface Deadline extends Disposable {
  /** Aborts with AppError `MODEL_API_TIMEOUT` when the time is over. */
  readonly signal: AbortSignal;
}

/** A time that is running; disposing it stops it. */
export function startDeadline(timeoutMs: number, what: string): Deadline {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(tooSlow(timeoutMs, what)), timeoutMs);
  return { signal: over.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** `what`: what did not come, such as `the first byte of its answer`. */
export function tooSlow(timeoutMs: number, what: string): AppError {
  return new AppError("MODEL_API_TIMEOUT", { detail: `It did not send ${what} within ${timeoutMs / 1000} s.` });
}
