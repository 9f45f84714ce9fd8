import type { AppError, Reason } from "@attune/service-kit/app-error.ts";

export type Stage = "fetch" | "detect" | "parse";

/** What happened to one call, for the log and the metrics. Holds nothing of the document but sizes. */
export class ParseRecord {
  readonly requestId: string;
  readonly stageMs: Partial<Record<Stage, number>> = {};
  fileType = "";
  engine = "";
  fileBytes = 0;
  /** Undefined when the document was parsed. */
  reason: Reason | undefined;
  /** What the operator may know of a failure and the caller may not. */
  cause: unknown;

  constructor(requestId: string) {
    this.requestId = requestId;
  }

  async time<TResult>(stage: Stage, work: () => Promise<TResult>): Promise<TResult> {
    const startedAtMs = performance.now();
    try {
      return await work();
    } finally {
      this.stageMs[stage] = performance.now() - startedAtMs;
    }
  }

  fail(error: AppError): void {
    this.reason = error.reason;
    this.cause = error.cause;
  }
}
