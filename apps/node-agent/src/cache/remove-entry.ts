import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheContext } from "./cache-context.ts";
import { isRunning } from "./cache-tasks.ts";
import { type EntryId, entryName } from "./disk/cache-folders.ts";
import { tryKeyLock } from "./disk/key-lock.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { discardRequestNotes, refuseWhereOthersWait } from "./request-note.ts";

/**
 * Removes all there is of an entry: its files, what is unfinished, and what was set aside.
 * @throws AppError `CACHE_ENTRY_UNKNOWN`, `CACHE_ENTRY_BUSY`, `CACHE_ENTRY_IN_USE`.
 */
export const removeEntry = (id: EntryId, context: CacheContext): Promise<void> =>
  context.oneAfterAnother(id, () => remove(id, context));

async function remove(id: EntryId, context: CacheContext): Promise<void> {
  const { folders, tasks, takeUses, step } = context;
  const task = tasks.find(id);
  if (task !== undefined && isRunning(task)) throw new AppError("CACHE_ENTRY_BUSY");
  const found = await withLock(id, context, async () => {
    const users = takeUses()(folders.entry(id));
    if (users.length > 0) {
      throw new AppError("CACHE_ENTRY_IN_USE", { detail: `It is used by ${users.slice(0, 5).join(", ")}.` });
    }
    const wasAskedFor = await discardRequests(id, context);
    const places = [folders.entry(id), folders.work(id).path, folders.quarantined(id)];
    const removed = await Promise.all(places.map((place) => discard(place, context)));
    await step("entry: removed");
    return wasAskedFor || removed.includes(true);
  });
  if (task !== undefined) tasks.forget(task);
  if (!found && task === undefined) throw new AppError("CACHE_ENTRY_UNKNOWN");
}

/** Removes what has come of an entry that is not complete, and what asked for it. @throws AppError `CACHE_ENTRY_BUSY` */
export async function discardUnfinished(id: EntryId, context: CacheContext): Promise<void> {
  await withLock(id, context, async () => {
    await discardRequests(id, context);
    await discard(context.folders.work(id).path, context);
  });
}

async function discardRequests(id: EntryId, { folders }: CacheContext): Promise<boolean> {
  await refuseWhereOthersWait(id, folders);
  return discardRequestNotes(id, folders);
}

async function withLock<T>(id: EntryId, { folders }: CacheContext, work: () => Promise<T>): Promise<T> {
  const lock = await tryKeyLock(folders.locks, entryName(id));
  if (lock === undefined) throw new AppError("CACHE_ENTRY_BUSY", { detail: "Another agent works on it." });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

function discard(path: string, { folders }: CacheContext): Promise<boolean> {
  return onDisk(async () => {
    try {
      await folders.discard(path);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  });
}
