/** What is known of one sweeper of this node: work that is done again and again in the background. */
export interface SweepStatus {
  readonly name: string;
  readonly everyMs: number;
  /** Since when it is to run. */
  readonly sinceMs: number;
  /** Of the latest run; undefined before the first one. */
  readonly startedMs: number | undefined;
  /** Of the latest run that ended. */
  readonly endedMs: number | undefined;
  /** Whether the latest run that ended did all it should; undefined before it. */
  readonly isLastWell: boolean | undefined;
}

export interface SweepRecord {
  status(): SweepStatus;
  /** Runs `work`, which tells whether it did all it should. What it throws is thrown on. */
  run(work: () => Promise<boolean>): Promise<void>;
}

/** Remembers the runs of one sweeper, for the check of the platform's health. Moments are those of `Date.now`. */
export function createSweepRecord(name: string, everyMs: number): SweepRecord {
  const sinceMs = Date.now();
  let startedMs: number | undefined;
  let last: { readonly endedMs: number; readonly isWell: boolean } | undefined;
  return {
    status: () => ({ name, everyMs, sinceMs, startedMs, endedMs: last?.endedMs, isLastWell: last?.isWell }),
    run: async (work) => {
      startedMs = Date.now();
      let isWell = false;
      try {
        isWell = await work();
      } finally {
        last = { endedMs: Date.now(), isWell };
      }
    },
  };
}
