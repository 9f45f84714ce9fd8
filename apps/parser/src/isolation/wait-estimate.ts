/** Learns how long documents take, to tell callers who are refused when to come back. */
export interface WaitEstimate {
  add(durationMs: number): void;
  /** Milliseconds until a place in a line of this length may be free; 100 ms at least, a minute at most. */
  waitMs(queued: number): number;
}

const weightOfLast = 0.1;
const assumedMs = 500;
const leastMs = 100;
const mostMs = 60_000;

export function createWaitEstimate(workers: number): WaitEstimate {
  let averageMs: number | undefined;
  return {
    add: (durationMs) => {
      averageMs = averageMs === undefined ? durationMs : averageMs + weightOfLast * (durationMs - averageMs);
    },
    waitMs: (queued) => {
      const estimatedMs = ((averageMs ?? assumedMs) * (queued + 1)) / workers;
      return Math.round(Math.min(mostMs, Math.max(leastMs, estimatedMs)));
    },
  };
}
