import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { CacheEntryView, CacheFailure } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheFolders, EntryId } from "./disk/cache-folders.ts";
import { filesFolder, type Manifest } from "./disk/manifest.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { inspectEntry } from "./inspect-entry.ts";
import { readDamage } from "./set-aside.ts";
import { listRequestNotes, type RequestNote } from "./request-note.ts";
import type { UsersOf } from "./users-of.ts";
import { readWorkNote, type WorkNote } from "./work-note.ts";

export const emptyView = ({ kind, key }: EntryId): CacheEntryView => ({
  kind,
  key,
  state: "queued",
  path: null,
  source: null,
  revision: null,
  size_bytes: null,
  file_count: null,
  skipped_files: [],
  progress: null,
  failure: null,
  used_by: [],
  created_at: null,
  verified_at: null,
});

export function toFailure(error: AppError): CacheFailure {
  const { sentence, remedy, retryable } = error.entry;
  const message = [sentence, error.details.detail].filter(Boolean).join(" ");
  return { reason: error.reason, message, remedy, retryable };
}

export interface ViewDeps {
  readonly folders: CacheFolders;
  readonly takeUses: () => UsersOf;
}

export interface SeenEntry {
  readonly view: CacheEntryView;
  /** Of what was asked for, where that is known. */
  readonly fingerprint: string | undefined;
}

/** What the disk says of an entry; undefined when it knows nothing of it. Nothing is hashed and nothing is changed. */
export async function seeEntry(id: EntryId, { folders, takeUses }: ViewDeps): Promise<SeenEntry | undefined> {
  const folder = folders.entry(id);
  const found = await inspectEntry(folder, { hash: "none" }, new AbortController().signal);
  const used_by = [...takeUses()(folder)];
  if (found.state === "fits") {
    const view = { ...emptyView(id), ...ofManifest(found.manifest), ...isReady(folder), used_by };
    return { view, fingerprint: found.manifest.fingerprint };
  }
  if (found.state === "damaged") {
    const known = found.manifest === undefined ? {} : ofManifest(found.manifest);
    const view = { ...emptyView(id), ...known, state: "damaged" as const, failure: toFailure(found.fault), used_by };
    return { view, fingerprint: found.manifest?.fingerprint };
  }
  // What was accepted last counts, whatever became of an attempt before.
  const asked = (await listRequestNotes(folders, id)).at(-1)?.note;
  if (asked !== undefined) return { view: { ...emptyView(id), ...ofRequest(asked) }, fingerprint: asked.fingerprint };
  const note = await readWorkNote(folders.work(id));
  if (note !== undefined) return { view: { ...emptyView(id), ...ofNote(note) }, fingerprint: note.fingerprint };
  return seeSetAside(id, folders);
}

const isReady = (folder: string) => ({ state: "ready" as const, path: filesFolder(folder) });

function ofManifest({ source, revision, files, skipped, created, verified }: Manifest) {
  const size_bytes = files.reduce((sum, { size }) => sum + size, 0);
  const times = { created_at: created, verified_at: verified };
  return { source, revision, size_bytes, file_count: files.length, skipped_files: [...skipped], ...times };
}

function ofNote(note: WorkNote) {
  const { source, created, failure } = note;
  return failure === null ? ofRequest(note) : { state: "failed" as const, source, created_at: created, failure };
}

function ofRequest({ source, created }: Pick<RequestNote, "source" | "created">) {
  const failure = toFailure(new AppError("CACHE_INTERRUPTED"));
  return { state: "interrupted" as const, source, created_at: created, failure };
}

async function seeSetAside(id: EntryId, folders: CacheFolders): Promise<SeenEntry | undefined> {
  const folder = folders.quarantined(id);
  if (!(await exists(folder))) return undefined;
  const fault = (await readDamage(folder)) ?? new AppError("CACHE_ENTRY_DAMAGED");
  return { view: { ...emptyView(id), state: "damaged", failure: toFailure(fault) }, fingerprint: undefined };
}

export function exists(path: string): Promise<boolean> {
  return onDisk(async () => {
    try {
      await lstat(path);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  });
}

/** Bytes of all files in a folder; what disappears meanwhile counts nothing. */
export async function sizeOfFolder(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await onDisk(() => readdir(folder, { withFileTypes: true, recursive: true }).catch(noneWhenMissing));
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const found = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += found?.size ?? 0;
  }
  return bytes;
}

function noneWhenMissing(error: unknown): [] {
  if (!isMissing(error)) throw error;
  return [];
}
