import type { DocumentLimits } from "../limits/budget.ts";
import type { IsolationDemand } from "../process/choose-sandbox.ts";

export interface WorkerPoolSettings {
  /** Workers, which is how many documents are parsed at once. */
  readonly workers: number;
  /** Documents that may wait for a worker; the next is refused with `QUEUE_FULL`. */
  readonly maxQueued: number;
  /** `PARSER_ISOLATION`. */
  readonly isolation: IsolationDemand;
  /** What a worker may use beyond what Node reserves, enforced by the kernel from level `process` on; 64 at least. */
  readonly memoryMib: number;
  /** Of a document whose overrides ask for nothing else; `timeoutMs` is the one an override may raise. */
  readonly limits: DocumentLimits;
  /** The most that the override `timeout_ms` may ask for. */
  readonly maxTimeoutMs: number;
  /** A worker is replaced after so many documents. */
  readonly recycleAfterDocuments: number;
  /** A worker that holds more than this after a document is replaced. */
  readonly recycleAboveMib: number;
  /** A worker that takes longer to become ready is given up. */
  readonly startTimeoutMs: number;
  /** Formats whose readers are loaded before a worker counts as ready. */
  readonly warmFormats: readonly string[];
  /**
   * Whether the workers' code is compiled before the first of them starts, which costs the pool about one start and saves each
   * worker more than half of its own; when absent, done for more than one worker.
   */
  readonly isCompiledAhead?: boolean;
  /** Path of the worker's entry; only tests set another. */
  readonly workerEntry: string;
  readonly nodePath: string;
}
