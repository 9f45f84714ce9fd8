/** Keeps the calls to one API within its limits. */
export interface ApiLimiter {
  /** Waits for a free place among the calls at a time; disposing what it gives makes the place free. */
  enter(signal: AbortSignal): Promise<Disposable>;
  /** Waits until one more request may begin. */
  untilAllowed(signal: AbortSignal): Promise<void>;
  /** No request begins within this time: the API asked for a pause. */
  holdBack(waitMs: number): void;
  setLimits(limits: ApiLimits): void;
  /** Whether nothing is running, waiting or remembered. */
  readonly isIdle: boolean;
}

export interface ApiLimits {
  readonly maxConcurrency: number;
  /** Requests begun within any 60 seconds; undefined: no limit. */
  readonly requestsPerMinute: number | undefined;
}

export interface Clock {
  nowMs(): number;
  sleep(waitMs: number, signal: AbortSignal): Promise<void>;
}

const minuteMs = 60_000;

/** Places are given in the order in which they were asked for. */
export function createApiLimiter(initialLimits: ApiLimits, clock: Clock): ApiLimiter {
  let limits = initialLimits;
  let running = 0;
  const waiting: (() => void)[] = [];
  const pace = createPace(clock);
  const admit = (): void => {
    while (running < limits.maxConcurrency && waiting.length > 0) {
      running++;
      waiting.shift()?.();
    }
  };
  return {
    enter: async (signal) => {
      signal.throwIfAborted();
      await waitForPlace({ waiting, admit }, signal);
      return disposeOnce(() => {
        running--;
        admit();
      });
    },
    untilAllowed: async (signal) => {
      for (let leftMs = pace.waitMs(limits); leftMs > 0; leftMs = pace.waitMs(limits))
        await clock.sleep(leftMs, signal);
      signal.throwIfAborted();
      pace.begin(limits);
    },
    holdBack: (pauseMs) => pace.holdBack(pauseMs),
    setLimits: (changed) => {
      limits = changed;
      admit();
    },
    get isIdle() {
      return running === 0 && waiting.length === 0 && pace.isIdle();
    },
  };
}

function disposeOnce(dispose: () => void): Disposable {
  let isDisposed = false;
  return {
    [Symbol.dispose]: () => {
      if (!isDisposed) dispose();
      isDisposed = true;
    },
  };
}

/** When the next request may begin: the times of those begun, and the pause that the API asked for. */
function createPace(clock: Clock) {
  let pausedUntilMs = 0;
  const begunAtMs: number[] = [];
  const waitMs = ({ requestsPerMinute }: ApiLimits): number => {
    const nowMs = clock.nowMs();
    while (begunAtMs[0] !== undefined && begunAtMs[0] <= nowMs - minuteMs) begunAtMs.shift();
    const oldest = requestsPerMinute === undefined ? undefined : begunAtMs.at(-requestsPerMinute);
    return Math.ceil(Math.max(pausedUntilMs - nowMs, oldest === undefined ? 0 : oldest + minuteMs - nowMs));
  };
  return {
    waitMs,
    begin: ({ requestsPerMinute }: ApiLimits): void => {
      if (requestsPerMinute !== undefined) begunAtMs.push(clock.nowMs());
    },
    holdBack: (pauseMs: number): void => {
      pausedUntilMs = Math.max(pausedUntilMs, clock.nowMs() + pauseMs);
    },
    isIdle: (): boolean => waitMs({ maxConcurrency: 1, requestsPerMinute: undefined }) <= 0 && begunAtMs.length === 0,
  };
}

interface Queue {
  readonly waiting: (() => void)[];
  readonly admit: () => void;
}

function waitForPlace({ waiting, admit }: Queue, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = (): void => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    };
    const giveUp = (): void => {
      const at = waiting.indexOf(enter);
      if (at >= 0) waiting.splice(at, 1);
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is passed on as it is
      reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    waiting.push(enter);
    admit();
  });
}
