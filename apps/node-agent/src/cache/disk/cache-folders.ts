import { randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type CacheKind, cacheKinds } from "@attune/contracts/compute/cache-api.ts";
import { onDisk } from "./to-disk-error.ts";
import { syncFolder } from "@attune/service-kit/disk/sync-folder.ts";

export interface EntryId {
  readonly kind: CacheKind;
  readonly key: string;
}

/** Where an entry is made, until it is moved to its place as a whole. */
export interface WorkFolder {
  readonly path: string;
  /** What is made, and for whom. */
  readonly jobPath: string;
  /** What came of files that are not complete, and notes on those that are. */
  readonly partial: string;
  /** What becomes the entry. */
  readonly entry: string;
  /** The complete files of it. */
  readonly files: string;
}

export interface CacheFolders {
  readonly root: string;
  readonly locks: string;
  readonly temporary: string;
  /** A note for each request that was accepted and is not done with. */
  readonly requests: string;
  readonly quarantine: string;
  /** The folder of an entry, with `manifest.json` and `files/`. */
  entry(id: EntryId): string;
  work(id: EntryId): WorkFolder;
  quarantined(id: EntryId): string;
  /** Takes a folder out of sight at once, then removes it; what a crash leaves of it is removed at the next start. */
  discard(path: string): Promise<void>;
}

/** Name of an entry where kinds are not told apart by folders; `parseEntryName` reads it. */
export const entryName = ({ kind, key }: EntryId): string => `${kind}.${key}`;

export function parseEntryName(name: string): EntryId | undefined {
  const kind = cacheKinds.find((known) => name.startsWith(`${known}.`));
  return kind === undefined || name.length === kind.length + 1 ? undefined : { kind, key: name.slice(kind.length + 1) };
}

export const isTrash = (name: string): boolean => name.startsWith("trash-");

/** Makes the folders of the cache where they are missing. @throws AppError `CACHE_DISK_FAILED`, `CACHE_DISK_FULL` */
export async function openCacheFolders(wantedRoot: string): Promise<CacheFolders> {
  // Without links, so that the paths of what uses it can be compared with it.
  const root = await onDisk(async () => {
    await mkdir(wantedRoot, { recursive: true, mode: 0o755 });
    return realpath(wantedRoot);
  });
  const [locks, temporary, quarantine] = [join(root, ".locks"), join(root, ".tmp"), join(root, ".quarantine")];
  const requests = join(root, ".requests");
  await onDisk(async () => {
    for (const folder of [locks, temporary, quarantine, requests])
      await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const kind of cacheKinds) await mkdir(join(root, kind), { recursive: true, mode: 0o755 });
    await syncFolder(root);
  });
  return {
    root,
    locks,
    temporary,
    quarantine,
    requests,
    entry: ({ kind, key }) => join(root, kind, key),
    work: (id) => toWorkFolder(join(temporary, entryName(id))),
    quarantined: (id) => join(quarantine, entryName(id)),
    discard: async (path) => {
      const trash = join(temporary, `trash-${randomUUID()}`);
      await rename(path, trash);
      await rm(trash, { recursive: true, force: true });
    },
  };
}

function toWorkFolder(path: string): WorkFolder {
  const entry = join(path, "entry");
  const [jobPath, partial, files] = [join(path, "job.json"), join(path, "partial"), join(entry, "files")];
  return { path, jobPath, partial, entry, files };
}
