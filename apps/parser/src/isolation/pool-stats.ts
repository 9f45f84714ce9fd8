import type { IsolationLevel } from "../process/sandbox.ts";

/**
 * Why a worker was replaced, beside recycling. `idle`: it died without a document. `start`: it did not become ready.
 * `cancelled`: it was killed because its caller had gone.
 */
export type RestartCause = "crash" | "memory" | "protocol" | "timeout" | "cancelled" | "idle" | "start";

/** For health and metrics; counters run from the start of the pool. */
export interface PoolStats {
  readonly isolationLevel: IsolationLevel;
  readonly workers: number;
  readonly ready: number;
  readonly busy: number;
  readonly idle: number;
  readonly queued: number;
  readonly documents: number;
  readonly retried: number;
  readonly recycled: number;
  readonly restarts: Readonly<Record<RestartCause, number>>;
  /** Most that any worker reported after a document. */
  readonly peakRssBytes: number;
  /** From spawn to ready, of the last worker. */
  readonly lastStartMs: number;
  /** Why no worker can be started at present. */
  readonly startFailure?: string;
}

/** The figures that the parts of the pool keep while they work. */
export interface PoolCounters {
  documents: number;
  retried: number;
  recycled: number;
  peakRssBytes: number;
  lastStartMs: number;
  startFailure: string | undefined;
  readonly restarts: Record<RestartCause, number>;
}

export function createPoolCounters(): PoolCounters {
  const restarts = { crash: 0, memory: 0, protocol: 0, timeout: 0, cancelled: 0, idle: 0, start: 0 };
  return { documents: 0, retried: 0, recycled: 0, peakRssBytes: 0, lastStartMs: 0, startFailure: undefined, restarts };
}
