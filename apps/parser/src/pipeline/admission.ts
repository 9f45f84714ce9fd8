import { AppError } from "@attune/service-kit/app-error.ts";

/** Bounds how many documents are in the house at once, those still being fetched included. */
export interface Admission {
  /**
   * Takes a place; calling the result gives it back, once.
   * @throws AppError `QUEUE_FULL` with the delay after which a place is likely, `SHUTTING_DOWN`.
   */
  enter(): () => void;
  readonly inside: number;
  readonly maxInside: number;
  /** From now on `enter` throws `SHUTTING_DOWN`. */
  close(): void;
}

export interface AdmissionSettings {
  readonly maxInside: number;
  /** How many are worked on at once; the others wait. */
  readonly workers: number;
}

const firstGuessMs = 1000;
const weightOfNewest = 0.2;

export function createAdmission({ maxInside, workers }: AdmissionSettings): Admission {
  let inside = 0;
  let isClosed = false;
  let typicalMs = firstGuessMs;
  return {
    maxInside,
    get inside() {
      return inside;
    },
    close: () => {
      isClosed = true;
    },
    enter: () => {
      if (isClosed) throw new AppError("SHUTTING_DOWN");
      if (inside >= maxInside) {
        throw new AppError("QUEUE_FULL", { retryAfterMs: retryDelay(typicalMs, workers) });
      }
      inside++;
      const enteredAtMs = performance.now();
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        inside--;
        typicalMs += weightOfNewest * (performance.now() - enteredAtMs - typicalMs);
      };
    },
  };
}

// A place comes free about every typicalMs / workers; a tenth of a second at least, so that callers do not spin.
function retryDelay(typicalMs: number, workers: number): number {
  return Math.max(100, Math.round(typicalMs / workers));
}
