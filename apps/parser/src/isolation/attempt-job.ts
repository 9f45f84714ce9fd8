import type { StoredBytes } from "../engines/engine.ts";
import type { Recogniser } from "../ocr/recogniser.ts";
import type { WorkerExit } from "./exit-cause.ts";
import type { JobMessage } from "./messages.ts";
import type { CheckedAnswer } from "./parse-worker-message.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** How one document went on one worker. After anything but an answer, the worker is dead or must be killed. */
export type Attempt =
  | { readonly kind: "answer"; readonly message: CheckedAnswer }
  | { readonly kind: "death"; readonly exit: WorkerExit }
  | { readonly kind: "timeout" }
  /** The file could not be read; the worker has got a part of it. */
  | { readonly kind: "unreadable"; readonly error: unknown }
  | { readonly kind: "aborted" };

export interface JobAttempt {
  readonly job: Omit<JobMessage, "jobId">;
  readonly bytes: StoredBytes;
  readonly recogniser: Recogniser | undefined;
  /** Wall-clock time after which the worker is given up. */
  readonly hardTimeoutMs: number;
}

export function attemptJob(worker: WorkerProcess, attempt: JobAttempt, signal: AbortSignal) {
  const { job, bytes, recogniser, hardTimeoutMs } = attempt;
  return new Promise<Attempt>((resolve) => {
    const settle = (end: Attempt) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(end);
    };
    const onAbort = () => settle({ kind: "aborted" });
    const timer = setTimeout(() => settle({ kind: "timeout" }), hardTimeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.run(job, bytes, recogniser).then(
      async (message) =>
        settle(message === undefined ? { kind: "death", exit: await worker.exited } : { kind: "answer", message }),
      (error: unknown) => settle({ kind: "unreadable", error }),
    );
  });
}
