import type { CacheEntryView, CacheFailure } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { type EntryId, entryName } from "./disk/cache-folders.ts";
import { emptyView, toFailure } from "./entry-views.ts";
import { createProgressMeter, type ProgressMeter } from "./progress-meter.ts";
import { createTurns } from "./take-turns.ts";

type TaskState = "queued" | "preparing" | "verifying" | "failed" | "cancelled" | "done";

/** Work on one entry, under way or how it ended. */
export interface CacheTask {
  readonly id: EntryId;
  readonly work: "prepare" | "verify";
  readonly source: CacheEntryView["source"];
  /** Of what is prepared; empty for a verification. */
  readonly fingerprint: string;
  readonly progress: ProgressMeter;
  readonly createdAt: string;
  readonly abort: AbortController;
  state: TaskState;
  failure: CacheFailure | null;
  /** Resolves when it has ended, however. */
  ended: Promise<void>;
}

interface NewTask {
  readonly id: EntryId;
  readonly work: CacheTask["work"];
  readonly source: CacheEntryView["source"];
  readonly fingerprint: string;
  readonly run: (task: CacheTask) => Promise<void>;
  /** Called when it failed or was cancelled, before others see that it has ended. */
  readonly onFailure: (task: CacheTask, error: AppError) => Promise<void>;
}

export interface CacheTasks {
  find(id: EntryId): CacheTask | undefined;
  list(): readonly CacheTask[];
  /**
   * Starts it when there is room. Whoever calls has seen that none runs for this entry.
   * @throws AppError `CACHE_INTERRUPTED` when all were stopped.
   */
  start(task: NewTask): CacheTask;
  /** Forgets this one, and no other of its entry. */
  forget(task: CacheTask): void;
  /** Ends all, and lets none start; what they were at is gone on with at the next start. */
  stop(): Promise<void>;
}

/** Most ended tasks that are remembered. */
const maxEnded = 1000;

export const isRunning = ({ state }: CacheTask): boolean =>
  state === "queued" || state === "preparing" || state === "verifying";

export function createCacheTasks(atOnce: number, logger: Logger): CacheTasks {
  const tasks = new Map<string, CacheTask>();
  const takeTurn = createTurns(atOnce);
  let isStopped = false;
  const execute = async (task: CacheTask, { run, onFailure }: NewTask) => {
    let giveTurn: (() => void) | undefined;
    try {
      giveTurn = await takeTurn(task.abort.signal);
      task.state = task.work === "prepare" ? "preparing" : "verifying";
      await run(task);
      task.state = "done";
    } catch (thrown) {
      await settleFailure(task, thrown, { onFailure, logger });
    } finally {
      giveTurn?.();
    }
  };
  return {
    find: (id) => tasks.get(entryName(id)),
    list: () => [...tasks.values()],
    forget: (task) => {
      if (tasks.get(entryName(task.id)) === task) tasks.delete(entryName(task.id));
    },
    start: (wanted) => {
      if (isStopped) throw new AppError("CACHE_INTERRUPTED");
      const task: CacheTask = { ...newTask(wanted), ended: Promise.resolve() };
      tasks.delete(entryName(wanted.id));
      tasks.set(entryName(wanted.id), task);
      forgetOldest(tasks);
      task.ended = execute(task, wanted);
      return task;
    },
    stop: async () => {
      isStopped = true;
      const all = [...tasks.values()].filter(isRunning);
      for (const { abort } of all) abort.abort(new AppError("CACHE_INTERRUPTED"));
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

const newTask = ({ id, work, source, fingerprint }: NewTask): Omit<CacheTask, "ended"> => ({
  id,
  work,
  source,
  fingerprint,
  progress: createProgressMeter("waiting"),
  createdAt: new Date().toISOString(),
  abort: new AbortController(),
  state: "queued",
  failure: null,
});

interface Settling extends Pick<NewTask, "onFailure"> {
  readonly logger: Logger;
}

async function settleFailure(task: CacheTask, thrown: unknown, { onFailure, logger }: Settling): Promise<void> {
  const { signal } = task.abort;
  const cause = signal.aborted ? signal.reason : thrown;
  const error = cause instanceof AppError ? cause : new AppError("INTERNAL", {}, cause);
  const about = { kind: task.id.kind, key: task.id.key, reason: error.reason };
  if (error.reason === "INTERNAL") logger.error({ ...about, error }, "work on the cache failed");
  else logger.info({ ...about, detail: error.details.detail }, "work on the cache ended early");
  task.failure = toFailure(error);
  try {
    await onFailure(task, error);
  } catch (failure) {
    logger.error({ ...about, error: failure }, "what is left of an entry could not be dealt with");
  }
  task.state = error.reason === "CACHE_CANCELLED" ? "cancelled" : "failed";
}

function forgetOldest(tasks: Map<string, CacheTask>): void {
  for (const [name, task] of tasks) {
    if (tasks.size <= maxEnded) return;
    if (!isRunning(task)) tasks.delete(name);
  }
}

export function viewTask({ id, state, source, progress, failure, createdAt }: CacheTask): CacheEntryView {
  const read = progress.read();
  const shownState = state === "done" ? "ready" : state;
  const totals = { size_bytes: read.bytes_total, file_count: read.files_total };
  return { ...emptyView(id), ...totals, state: shownState, source, progress: read, failure, created_at: createdAt };
}
