import type { CacheEntryView, CacheListView, PrepareRequest } from "@attune/contracts/compute/cache-api.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import { beginPreparation } from "./begin-preparation.ts";
import { beginVerification } from "./begin-verification.ts";
import type { CacheContext } from "./cache-context.ts";
import type { CacheSettings } from "./cache-settings.ts";
import { type CacheStep, noStep } from "./cache-step.ts";
import { createCacheTasks } from "./cache-tasks.ts";
import { cancelPreparation } from "./cancel-preparation.ts";
import { type EntryId, openCacheFolders } from "./disk/cache-folders.ts";
import { createOneAfterAnother } from "./one-after-another.ts";
import { createSourceHttp } from "./download/source-http.ts";
import { getEntry } from "./get-entry.ts";
import { type CacheUsage, listEntries, measureCache } from "./list-entries.ts";
import { type Leftover, recoverLeftovers } from "./recover-leftovers.ts";
import { removeEntry } from "./remove-entry.ts";
import { createTakeUses, type PathUse } from "./users-of.ts";

export interface CacheDeps {
  /** Folder of the cache; it belongs to one machine. */
  readonly root: string;
  readonly settings: CacheSettings;
  readonly logger: Logger;
  /** Paths that jobs and loaded models name, with what names them; entries that hold one are not removed. */
  readonly listUses: () => readonly PathUse[];
  readonly step?: CacheStep;
}

/** Models and data sets on the node's disk, each complete and as its manifest says. */
export interface Cache {
  /** Folder of the cache. */
  readonly root: string;
  /** What former processes have left, and what became of it. */
  readonly leftovers: readonly Leftover[];
  /**
   * Finds an entry made, joins its making, or begins it; answers at once, when a note of it is durable. How it goes is told
   * by `get`. What a removal or a cancel of the entry is at is waited for.
   * @throws AppError `CACHE_KEY_TAKEN`, `CACHE_ENTRY_BUSY`, `CACHE_URL_INVALID`, `CACHE_DISK_FULL`, `CACHE_DISK_FAILED`;
   * `CACHE_INTERRUPTED` while the agent ends.
   */
  prepare(request: PrepareRequest): Promise<CacheEntryView>;
  /** @throws AppError `CACHE_ENTRY_UNKNOWN` */
  get(id: EntryId): Promise<CacheEntryView>;
  list(): Promise<CacheListView>;
  /** Ends a preparation and removes what has come of it. @throws AppError `CACHE_ENTRY_UNKNOWN` */
  cancel(id: EntryId): Promise<CacheEntryView>;
  /** @throws AppError `CACHE_ENTRY_UNKNOWN`, `CACHE_ENTRY_BUSY`, `CACHE_ENTRY_IN_USE`. */
  remove(id: EntryId): Promise<void>;
  /** Begins to hash all of an entry again; answers at once. @throws AppError `CACHE_ENTRY_UNKNOWN`, `CACHE_ENTRY_BUSY` */
  verify(id: EntryId): Promise<CacheEntryView>;
  /** Resolves when nothing is being done on the entry. */
  settled(id: EntryId): Promise<void>;
  usage(): Promise<CacheUsage>;
  close(): Promise<void>;
}

/**
 * Opens the cache, and goes on with what a former process has left where that needs no secret.
 * @throws AppError `CACHE_DISK_FAILED`, `CACHE_DISK_FULL`; TypeError for settings that make no sense.
 */
export async function openCache(deps: CacheDeps): Promise<Cache> {
  const { settings, logger, step = noStep } = deps;
  const http = createSourceHttp(settings);
  const folders = await openCacheFolders(deps.root);
  const tasks = createCacheTasks(settings.entriesAtOnce, logger);
  const context: CacheContext = {
    folders,
    settings,
    logger,
    step,
    tasks,
    oneAfterAnother: createOneAfterAnother(),
    http,
    takeUses: createTakeUses(deps.listUses, logger),
  };
  const leftovers: Leftover[] = [];
  for (const leftover of await recoverLeftovers(context)) leftovers.push(await resume(leftover, context));
  return {
    root: folders.root,
    leftovers,
    prepare: (request) => beginPreparation(request, context),
    get: (id) => getEntry(id, context),
    list: () => listEntries(context),
    cancel: (id) => cancelPreparation(id, context),
    remove: (id) => removeEntry(id, context),
    verify: (id) => beginVerification(id, context),
    settled: async (id) => tasks.find(id)?.ended,
    usage: () => measureCache(context),
    close: async () => {
      await tasks.stop();
      await http.close();
    },
  };
}

// Without room for a note of it the agent starts all the same, and it stays as it is.
async function resume(leftover: Leftover, context: CacheContext): Promise<Leftover> {
  const { name, resumable } = leftover;
  if (resumable === undefined) return leftover;
  try {
    await beginPreparation(resumable, context);
    return leftover;
  } catch (error) {
    context.logger.error({ error, name }, "what an earlier process left in the cache could not be gone on with");
    return { ...leftover, outcome: "kept" };
  }
}
