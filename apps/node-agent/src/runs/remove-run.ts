import { realpathSync } from "node:fs";
import { isEnded } from "@attune/contracts/compute/run-record.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { RunStore } from "./run-store.ts";

export interface RemoveDeps {
  readonly store: RunStore;
  /** Which jobs that have not ended and which loaded models use a folder or what lies in it. */
  readonly usersOf: (folder: string) => readonly string[];
  readonly logger: Logger;
}

/** Does what may not happen at the same time as other work of the kind. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Removes a run that has ended with all its files: checkpoints, results, log and events.
 * @throws AppError RUN_NOT_FOUND, RUN_NOT_ENDED, RUN_IN_USE; RUN_NOT_REMOVED when files are left, which the next start removes
 */
export function createRemoval(deps: RemoveDeps, inTurn: InTurn): (jobId: string) => Promise<void> {
  return async (jobId) => {
    try {
      const discard = await inTurn(() => takeOut(deps, jobId));
      await discard();
    } catch (error) {
      if (error instanceof AppError) throw error;
      deps.logger.error({ error, run: jobId }, "A run cannot be removed");
      const { code = "unknown" } = error as NodeJS.ErrnoException;
      throw new AppError("RUN_NOT_REMOVED", { detail: `${code}.` }, error);
    }
  };
}

async function takeOut({ store, usersOf }: RemoveDeps, jobId: string): Promise<() => Promise<void>> {
  const run = await store.find(jobId);
  if (run === undefined) throw new AppError("RUN_NOT_FOUND");
  if (!isEnded(run.state)) throw new AppError("RUN_NOT_ENDED", { detail: `It is ${run.state}.` });
  if (store.active().some((active) => active.jobId === jobId)) {
    throw new AppError("RUN_NOT_ENDED", { detail: "Its end is not written down yet." });
  }
  const { folder } = store.paths(jobId);
  const users = [...new Set([folder, realpathSync(folder)].flatMap(usersOf))];
  if (users.length > 0) {
    throw new AppError("RUN_IN_USE", { detail: `It is used by ${users.slice(0, 5).join(", ")}.` });
  }
  return store.takeOut(jobId);
}
