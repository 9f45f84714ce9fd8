import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { statfs } from "node:fs/promises";
import { type CacheEntryView, type CacheListView, cacheKinds } from "@attune/contracts/compute/cache-api.ts";
import type { CacheContext } from "./cache-context.ts";
import { type CacheFolders, type EntryId, entryName, parseEntryName } from "./disk/cache-folders.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { sizeOfFolder } from "./entry-views.ts";
import { viewEntry } from "./get-entry.ts";
import { parseNoteName } from "./request-note.ts";

/** Bytes that the cache takes, for metrics. */
export interface CacheUsage {
  readonly entries: number;
  readonly sizeBytes: number;
  readonly unfinishedBytes: number;
  /** Null where the file system does not tell. */
  readonly freeBytes: number | null;
}

/** All entries, by name: those that are complete, unfinished, set aside, or being worked on. */
export async function listEntries(context: CacheContext): Promise<CacheListView> {
  const { folders, tasks } = context;
  const ids = new Map((await listIds(folders)).map((id) => [entryName(id), id]));
  for (const { id } of tasks.list()) ids.set(entryName(id), id);
  const items: CacheEntryView[] = [];
  const usersOf = context.takeUses();
  const deps = { folders, tasks, takeUses: () => usersOf };
  for (const [, id] of [...ids].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const view = await viewEntry(id, deps);
    if (view !== undefined) items.push(view);
  }
  const { sizeBytes, unfinishedBytes, freeBytes } = await measureCache(context);
  return { items, size_bytes: sizeBytes, unfinished_bytes: unfinishedBytes, free_bytes: freeBytes };
}

export async function measureCache({ folders }: CacheContext): Promise<CacheUsage> {
  const complete = cacheKinds.map((kind) => join(folders.root, kind));
  const unfinished = [folders.temporary, folders.quarantine];
  const [sizeBytes, unfinishedBytes] = await Promise.all([complete, unfinished].map(sumOf));
  const entries = (await Promise.all(complete.map((folder) => onDisk(() => readdir(folder))))).flat().length;
  const space = await statfs(folders.root).catch(() => undefined);
  const freeBytes = space === undefined ? null : space.bavail * space.bsize;
  return { entries, sizeBytes: sizeBytes ?? 0, unfinishedBytes: unfinishedBytes ?? 0, freeBytes };
}

async function sumOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(sizeOfFolder));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function listIds({ root, temporary, quarantine, requests }: CacheFolders): Promise<EntryId[]> {
  const complete = await Promise.all(
    cacheKinds.map(async (kind) => (await onDisk(() => readdir(join(root, kind)))).map((key) => ({ kind, key }))),
  );
  const others = await Promise.all([temporary, quarantine].map((folder) => onDisk(() => readdir(folder))));
  const asked = await onDisk(() => readdir(requests));
  return [
    ...complete.flat(),
    ...others.flat().flatMap((name) => parseEntryName(name) ?? []),
    ...asked.flatMap((name) => parseNoteName(name) ?? []),
  ];
}
