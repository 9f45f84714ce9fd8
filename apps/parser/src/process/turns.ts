/** A bounded number of places; who finds none free waits, first come first served. */
export interface Turns {
  /** Resolves with the function that gives the place back. @throws the abort reason when `signal` aborts while waiting. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createTurns(places: number): Turns {
  const waiting = new Set<() => void>();
  let free = places;

  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };
  const placeOf = (): (() => void) => {
    let isGivenBack = false;
    return () => {
      if (!isGivenBack) leave();
      isGivenBack = true;
    };
  };
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (free > 0) {
          free -= 1;
          return resolve(placeOf());
        }
        const onAbort = (): void => {
          waiting.delete(enter);
          reject(signal.reason);
        };
        const enter = (): void => {
          waiting.delete(enter);
          signal.removeEventListener("abort", onAbort);
          resolve(placeOf());
        };
        signal.addEventListener("abort", onAbort, { once: true });
        waiting.add(enter);
      }),
  };
}
