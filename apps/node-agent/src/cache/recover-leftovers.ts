import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { PrepareRequest } from "@attune/contracts/compute/cache-api.ts";
import type { CacheContext } from "./cache-context.ts";
import { type EntryId, entryName, isTrash, parseEntryName } from "./disk/cache-folders.ts";
import { tryKeyLock } from "./disk/key-lock.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { exists, sizeOfFolder } from "./entry-views.ts";
import { recoverRequests } from "./recover-requests.ts";
import { readWorkNote } from "./work-note.ts";

/** Something that a former process has left in the cache. */
export interface Leftover {
  readonly name: string;
  readonly bytes: number;
  /**
   * `resumed`: it is gone on with now. `kept`: it is gone on with when it is asked for again, because the links or the token
   * are needed, or because it had failed. `busy`: another process works on it. `removed`: it is of no use, or too old.
   */
  readonly outcome: "resumed" | "kept" | "busy" | "removed";
  readonly resumable?: PrepareRequest;
}

type RecoverDeps = Pick<CacheContext, "folders" | "settings" | "logger" | "takeUses">;

/**
 * Goes through what former processes have left, removes what is of no use, and tells all of it in the log. What was accepted
 * and not begun comes in the order in which it was.
 */
export async function recoverLeftovers(deps: RecoverDeps): Promise<Leftover[]> {
  const { folders, logger } = deps;
  await onDisk(() => removeLockLeftovers(folders.locks));
  const found = new Map<string, Leftover>();
  for (const name of await onDisk(() => readdir(folders.temporary))) found.set(name, await judge(name, deps));
  for (const request of await recoverRequests(deps)) {
    const { name } = request;
    const unfinished = found.get(name);
    if (unfinished !== undefined && request.outcome === "removed") continue;
    // What was accepted last counts, whatever an attempt before was to make.
    found.delete(name);
    found.set(name, { ...request, bytes: unfinished?.bytes ?? 0 });
  }
  for (const { name, outcome, bytes } of found.values()) {
    logger.info({ name, outcome, bytes }, "an earlier process left something in the cache");
  }
  return [...found.values()];
}

async function judge(name: string, deps: RecoverDeps): Promise<Leftover> {
  const { folders } = deps;
  const path = join(folders.temporary, name);
  const bytes = await sizeOfFolder(path);
  const id = isTrash(name) ? undefined : parseEntryName(name);
  if (id === undefined) {
    await onDisk(() => rm(path, { recursive: true, force: true }));
    return { name, bytes, outcome: "removed" };
  }
  const lock = await tryKeyLock(folders.locks, entryName(id));
  if (lock === undefined) return { name, bytes, outcome: "busy" };
  try {
    return { name, bytes, ...(await judgeWork(id, deps)) };
  } finally {
    await lock.release();
  }
}

async function judgeWork(
  id: EntryId,
  { folders, settings }: RecoverDeps,
): Promise<Pick<Leftover, "outcome" | "resumable">> {
  const work = folders.work(id);
  const note = await readWorkNote(work);
  // The entry is in its place: only the removal of its work folder was missing.
  const isPublished = !(await exists(work.entry)) && (await exists(folders.entry(id)));
  const touchedMs = await onDisk(async () => (await stat(work.path)).mtimeMs);
  const isOld =
    note === undefined || Date.now() - Math.max(touchedMs, Date.parse(note.created)) > settings.keepUnfinishedMs;
  if (isPublished || isOld) {
    await onDisk(() => folders.discard(work.path).catch(ignoreMissing));
    return { outcome: "removed" };
  }
  const { request, failure, unsafe_files } = note;
  if (request === null || failure !== null) return { outcome: "kept" };
  return { outcome: "resumed", resumable: { ...id, source: request, unsafe_files } };
}

/** Files that were to become locks; a process that still makes one has done so within the minute. */
async function removeLockLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(".")) continue;
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > 60_000) await rm(path, { force: true });
  }
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
