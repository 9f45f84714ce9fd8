import type { DocumentLimits } from "../limits/budget.ts";
import type { ParseOptions } from "../overrides/parse-options.ts";

/** Head of the frame that gives a worker one document; the body is the file. */
export interface JobMessage {
  readonly kind: "job";
  /** From 1, different for each job of a worker; the answer repeats it. */
  readonly jobId: number;
  readonly fileName: string;
  readonly format: string;
  readonly charset?: string;
  readonly options: ParseOptions;
  readonly limits: DocumentLimits;
}

interface WorkerMessageBase {
  /** The job that this answers; 0 when none. */
  readonly jobId: number;
  /**
   * Resident bytes as the worker counts them itself: a hint for recycling, never a limit. The peak of the process where the
   * sandbox hides the current figure.
   */
  readonly rssBytes: number;
}

/** Said once, when the worker has loaded what it needs. */
export interface ReadyMessage extends WorkerMessageBase {
  readonly kind: "ready";
}

/** Head of the frame that answers a job; the body is the text, UTF-8. */
export interface ResultMessage extends WorkerMessageBase {
  readonly kind: "result";
  /** Unicode code points of the body. */
  readonly contentLength: number;
  /** Whether the document holds no text, whatever marks were rendered around it. */
  readonly isEmpty: boolean;
  readonly warnings: readonly string[];
}

export interface FailureMessage extends WorkerMessageBase {
  readonly kind: "failure";
  /** A reason of the closed list with the scope `document`. */
  readonly reason: string;
  readonly detail?: string;
  /** Name, message and stack, for our log only. */
  readonly diagnostic: string;
}
