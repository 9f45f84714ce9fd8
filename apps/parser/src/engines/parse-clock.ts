import { AppError } from "@attune/service-kit/app-error.ts";

/** The time of one request, from the moment its parsing starts, whatever number of engines and steps it takes. */
export class ParseClock {
  #startedAtMs = performance.now();

  /** Leaves out of the account a time in which the request only waited for its turn. */
  discount(waitedMs: number): void {
    this.#startedAtMs += waitedMs;
  }

  /**
   * Whole milliseconds that are left of `limitMs`, at least 1.
   * @throws AppError `PARSE_TIMEOUT` when nothing is left.
   */
  leftMs(limitMs: number): number {
    const leftMs = Math.ceil(this.#startedAtMs + limitMs - performance.now());
    if (leftMs > 0) return leftMs;
    throw new AppError("PARSE_TIMEOUT", { detail: `It took more than ${limitMs} ms.` });
  }
}
