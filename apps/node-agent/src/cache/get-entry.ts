import type { CacheEntryView } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheContext } from "./cache-context.ts";
import { type CacheTask, isRunning, viewTask } from "./cache-tasks.ts";
import type { EntryId } from "./disk/cache-folders.ts";
import { seeEntry } from "./entry-views.ts";

/** @throws AppError `CACHE_ENTRY_UNKNOWN` */
export async function getEntry(id: EntryId, context: CacheContext): Promise<CacheEntryView> {
  const view = await viewEntry(id, context);
  if (view === undefined) throw new AppError("CACHE_ENTRY_UNKNOWN");
  return view;
}

/** Looked at once more where work on it ended during the look, which may be one of before that. */
export async function viewEntry(
  id: EntryId,
  deps: Pick<CacheContext, "folders" | "takeUses" | "tasks">,
): Promise<CacheEntryView | undefined> {
  const before = deps.tasks.find(id);
  const wasRunning = before !== undefined && isRunning(before);
  const seen = await seeEntry(id, deps);
  const task = deps.tasks.find(id);
  const hasEnded = (wasRunning || task !== before) && (task === undefined || !isRunning(task));
  return mergeViews(hasEnded ? (await seeEntry(id, deps))?.view : seen?.view, task);
}

/** Work under way is told first, then what the disk has, then how work ended. */
function mergeViews(seen: CacheEntryView | undefined, task: CacheTask | undefined): CacheEntryView | undefined {
  if (task === undefined) return seen;
  if (task.work === "verify") return mergeVerification(seen, task);
  if (isRunning(task)) return viewTask(task);
  // What it made may be gone since.
  if (task.state === "done") return seen;
  return seen === undefined || seen.state === "failed" || seen.state === "interrupted" ? viewTask(task) : seen;
}

function mergeVerification(seen: CacheEntryView | undefined, task: CacheTask): CacheEntryView | undefined {
  if (seen === undefined || !isRunning(task)) return seen;
  // What is being verified may be used meanwhile, unless it was seen to be damaged.
  return { ...seen, state: seen.state === "damaged" ? "damaged" : "verifying", progress: task.progress.read() };
}
