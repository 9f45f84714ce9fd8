/** How a check ended: with what it found, with what it threw, or not yet. */
export type CheckResult<T> = { readonly value: T } | { readonly error: unknown } | { readonly runningSince: Date };

/**
 * A check that is under way at most once: whoever asks meanwhile waits for the same one, `timeoutMs` from its beginning at
 * the most, so that what hangs takes no more of the machine at every question.
 */
export function createCheck<T>(run: () => Promise<T>, timeoutMs: number): () => Promise<CheckResult<T>> {
  let running: Running<T> | undefined;
  return async () => {
    if (running === undefined) {
      const own = begin(run);
      running = own;
      void own.result.then(() => (running = running === own ? undefined : running));
    }
    return withinTime(running, timeoutMs);
  };
}

interface Running<T> {
  readonly startedAt: Date;
  readonly startMs: number;
  /** Never rejects. */
  readonly result: Promise<CheckResult<T>>;
}

function begin<T>(run: () => Promise<T>): Running<T> {
  const result = (async (): Promise<CheckResult<T>> => {
    try {
      return { value: await run() };
    } catch (error) {
      return { error };
    }
  })();
  return { startedAt: new Date(), startMs: performance.now(), result };
}

function withinTime<T>({ startedAt, startMs, result }: Running<T>, timeoutMs: number): Promise<CheckResult<T>> {
  return new Promise((resolve) => {
    const leftMs = Math.max(0, startMs + timeoutMs - performance.now());
    const timer = setTimeout(() => resolve({ runningSince: startedAt }), leftMs);
    void result.then((ended) => {
      clearTimeout(timer);
      resolve(ended);
    });
  });
}
