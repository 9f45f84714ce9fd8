import type { CacheEntryView } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheContext } from "./cache-context.ts";
import { isRunning } from "./cache-tasks.ts";
import type { EntryId } from "./disk/cache-folders.ts";
import { getEntry } from "./get-entry.ts";
import { discardUnfinished } from "./remove-entry.ts";

/**
 * Ends the work on an entry. Of a preparation nothing is kept, neither now nor of one that ended before. A request that comes
 * meanwhile begins anew.
 */
export const cancelPreparation = (id: EntryId, context: CacheContext): Promise<CacheEntryView> =>
  context.oneAfterAnother(id, () => cancelWork(id, context));

async function cancelWork(id: EntryId, context: CacheContext): Promise<CacheEntryView> {
  const task = context.tasks.find(id);
  if (task !== undefined && isRunning(task)) {
    task.abort.abort(new AppError("CACHE_CANCELLED"));
    await task.ended;
    return getEntry(id, context);
  }
  const view = await getEntry(id, context);
  if (view.state !== "interrupted" && view.state !== "failed") return view;
  await discardUnfinished(id, context);
  if (task !== undefined) context.tasks.forget(task);
  return { ...view, state: "cancelled", progress: null };
}
