import type { CacheEntryView } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheContext } from "./cache-context.ts";
import { isRunning, viewTask } from "./cache-tasks.ts";
import { type EntryId, entryName } from "./disk/cache-folders.ts";
import { takeKeyLock } from "./disk/key-lock.ts";
import { toDiskError } from "./disk/to-disk-error.ts";
import { seeEntry } from "./entry-views.ts";
import { inspectEntry } from "./inspect-entry.ts";
import type { ProgressMeter } from "./progress-meter.ts";
import { noteDamage, setAside } from "./set-aside.ts";

/** Hashes all of an entry again. What does not fit is noted in it, and it is set aside unless something uses it. */
export const beginVerification = (id: EntryId, context: CacheContext): Promise<CacheEntryView> =>
  context.oneAfterAnother(id, () => joinOrBegin(id, context));

async function joinOrBegin(id: EntryId, context: CacheContext): Promise<CacheEntryView> {
  const running = context.tasks.find(id);
  if (running !== undefined && isRunning(running)) {
    if (running.work === "verify") return viewTask(running);
    throw new AppError("CACHE_ENTRY_BUSY", { detail: "It is being prepared." });
  }
  const { view } = (await seeEntry(id, context)) ?? {};
  if (view === undefined || view.size_bytes === null) throw new AppError("CACHE_ENTRY_UNKNOWN");
  const task = context.tasks.start({
    id,
    work: "verify",
    source: view.source,
    fingerprint: "",
    run: async ({ progress, abort }) => {
      progress.total(view.size_bytes ?? 0, view.file_count ?? 0);
      await verifyEntry(id, { ...context, progress }, abort.signal);
    },
    onFailure: async () => {},
  });
  return viewTask(task);
}

type VerifyDeps = CacheContext & { readonly progress: ProgressMeter };

/** @throws AppError `CACHE_ENTRY_DAMAGED` */
async function verifyEntry(id: EntryId, deps: VerifyDeps, signal: AbortSignal): Promise<void> {
  const { folders, progress, takeUses, step } = deps;
  const lock = await takeKeyLock(folders.locks, entryName(id), signal);
  const folder = folders.entry(id);
  try {
    progress.stage("hashing");
    const found = await inspectEntry(folder, { hash: "all", onBytes: progress.bytes }, signal);
    if (found.state === "absent") throw new AppError("CACHE_ENTRY_UNKNOWN");
    if (found.state === "fits") return;
    await noteDamage(folder, found.fault);
    await step("damage: noted");
    if (takeUses()(folder).length === 0) await setAside(id, folders);
    await step("damage: set aside");
    throw found.fault;
  } catch (error) {
    throw toDiskError(error);
  } finally {
    await lock.release();
  }
}
