import type { CacheEntryView } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheContext } from "./cache-context.ts";
import { isRunning } from "./cache-tasks.ts";
import type { EntryId } from "./disk/cache-folders.ts";
import { getEntry } from "./get-entry.ts";
import { discardUnfinished } from "./remove-entry.ts";

/** Ends the work on an entry. Of a preparation nothing is kept, neither now nor of one that ended before. */
export async function cancelPreparation(id: EntryId, context: CacheContext): Promise<CacheEntryView> {
  const task = context.tasks.find(id);
  if (task !== undefined && isRunning(task)) {
    task.abort.abort(new AppError("CACHE_CANCELLED"));
    await task.ended;
    return getEntry(id, context);
  }
  const view = await getEntry(id, context);
  if (view.state !== "interrupted" && view.state !== "failed") return view;
  await discardUnfinished(id, context);
  context.tasks.forget(id);
  return { ...view, state: "cancelled", progress: null };
}
