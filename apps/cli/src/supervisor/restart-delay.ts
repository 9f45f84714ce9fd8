const firstMs = 250;
const longestMs = 30_000;
/** A service that ran as long as this is not thought to fail at once again. */
const healthyMs = 30_000;

/** Counts how often a service failed in a row, and says how long to wait before it is started again, in milliseconds. */
export class RestartDelay {
  #failures = 0;

  /** @param ranMs how long the service ran before it ended */
  next(ranMs: number): number {
    this.#failures = ranMs >= healthyMs ? 1 : this.#failures + 1;
    return Math.min(longestMs, firstMs * 2 ** (this.#failures - 1));
  }
}
