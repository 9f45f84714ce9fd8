import { isEnded } from "@attune/contracts/compute/run-record.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { RunStore } from "./run-store.ts";
import type { StoredRun } from "./stored-run.ts";

export interface KeeperDeps {
  readonly store: RunStore;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
}

/** Writes runs down: a new state soon, progress now and then, and again what could not be written. */
export interface RunKeeper {
  /** Takes the run as it is now. */
  readonly put: (before: StoredRun, now: StoredRun) => void;
  /** Writes the run when it is time to. Never throws. */
  keep(jobId: string): Promise<void>;
  /** Writes the run now. Never throws; what failed stands in `faultOf` and is tried again. */
  save(jobId: string): Promise<void>;
  /** Tries again for runs that have ended. Never throws. */
  saveEnded(): Promise<void>;
  saveAll(): Promise<void>;
  /** Why the run could not be written the last time; null when it was. */
  faultOf(jobId: string): string | null;
}

/** What the next agent could not find out by itself. */
const urgent = ["state", "leader", "reference", "reason", "graceSeconds", "askedToEnd"] as const;
/** Progress can be read from the events again, so that it need not be written often. */
const progressEveryMs = 2000;

export function createRunKeeper({ store, logger, monotonicMs }: KeeperDeps): RunKeeper {
  const unsaved = new Map<string, { readonly isUrgent: boolean }>();
  const savedAtMs = new Map<string, number>();
  const faults = new Map<string, string>();

  const save = async (jobId: string): Promise<void> => {
    unsaved.delete(jobId);
    savedAtMs.set(jobId, monotonicMs());
    try {
      await store.save(jobId);
      faults.delete(jobId);
    } catch (error) {
      unsaved.set(jobId, { isUrgent: true });
      const fault = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      if (faults.get(jobId) !== fault) logger.error({ error, run: jobId }, "A run cannot be written down");
      faults.set(jobId, fault);
    }
  };
  const isDue = (jobId: string): boolean => {
    const entry = unsaved.get(jobId);
    if (entry === undefined) return false;
    const waitMs = faults.has(jobId) || !entry.isUrgent ? progressEveryMs : 0;
    return monotonicMs() - (savedAtMs.get(jobId) ?? Number.NEGATIVE_INFINITY) >= waitMs;
  };
  return {
    put: (before, now) => {
      if (before === now) return;
      store.put(now);
      const isUrgent = urgent.some((field) => before[field] !== now[field]);
      unsaved.set(now.jobId, { isUrgent: isUrgent || (unsaved.get(now.jobId)?.isUrgent ?? false) });
    },
    keep: async (jobId) => {
      if (isDue(jobId)) await save(jobId);
    },
    save,
    saveEnded: async () => {
      for (const { jobId, state } of store.active()) if (isEnded(state)) await save(jobId);
    },
    saveAll: async () => {
      await Promise.all([...unsaved.keys()].map(save));
    },
    faultOf: (jobId) => faults.get(jobId) ?? null,
  };
}
