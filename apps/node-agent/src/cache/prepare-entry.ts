import { mkdir, rename, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { PrepareRequest } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheSettings } from "./cache-settings.ts";
import type { CacheSource, SourceFile } from "./cache-source.ts";
import type { CacheStep } from "./cache-step.ts";
import { checkFileList } from "./check-file-list.ts";
import type { CacheFolders, EntryId, WorkFolder } from "./disk/cache-folders.ts";
import { entryName } from "./disk/cache-folders.ts";
import { type KeyLock, takeKeyLock } from "./disk/key-lock.ts";
import { type Manifest, type ManifestFile, writeManifest } from "./disk/manifest.ts";
import { syncFolder, syncTree } from "@attune/service-kit/disk/sync-folder.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk, toDiskError } from "./disk/to-disk-error.ts";
import { fetchFile } from "./fetch-file.ts";
import { inParallel } from "./in-parallel.ts";
import { inspectEntry } from "./inspect-entry.ts";
import type { ProgressMeter } from "./progress-meter.ts";
import { salvage, setAside } from "./set-aside.ts";
import { takeOverLeftovers } from "./take-over-leftovers.ts";
import { judgeFileTypes } from "./unsafe-files.ts";
import type { UsersOf } from "./users-of.ts";
import { readWorkNote, type WorkNote, writeWorkNote } from "./work-note.ts";

export interface PrepareDeps {
  readonly folders: CacheFolders;
  readonly settings: CacheSettings;
  readonly progress: ProgressMeter;
  readonly step: CacheStep;
  readonly takeUses: () => UsersOf;
}

export interface Preparation {
  readonly id: EntryId;
  readonly source: CacheSource;
  readonly unsafeFiles: PrepareRequest["unsafe_files"];
  /** The request as it may be written down. */
  readonly storedRequest: WorkNote["request"];
}

/**
 * Makes an entry, or finds it made. All is done in a folder of its own that is moved to its place as a whole, so the cache
 * has all of an entry or nothing of it, whenever the process ends; what a process has left is gone on from.
 * @throws AppError with the reason; the reason of `signal`.
 */
export async function prepareEntry(
  preparation: Preparation,
  deps: PrepareDeps,
  signal: AbortSignal,
): Promise<Manifest> {
  const { folders, step, progress } = deps;
  progress.stage("waiting");
  const lock = await takeKeyLock(folders.locks, entryName(preparation.id), signal);
  try {
    await step("lock: taken");
    return (await findPrepared(preparation, deps, signal)) ?? (await makeEntry({ preparation, lock }, deps, signal));
  } catch (error) {
    throw toDiskError(error);
  } finally {
    await lock.release();
    await step("lock: released");
  }
}

async function findPrepared({ id, source }: Preparation, deps: PrepareDeps, signal: AbortSignal) {
  const { folders, takeUses } = deps;
  const found = await inspectEntry(folders.entry(id), { hash: "touched" }, signal);
  if (found.state === "absent") return undefined;
  if (found.state === "fits") {
    if (found.manifest.fingerprint !== source.fingerprint) throw keyTaken(found.manifest.source.name);
    return found.manifest;
  }
  const users = takeUses()(folders.entry(id));
  if (users.length > 0) {
    const detail = `It is damaged, and cannot be made anew while it is used by ${users.join(", ")}.`;
    throw new AppError("CACHE_ENTRY_IN_USE", { detail }, found.fault);
  }
  await setAside(id, folders);
  await deps.step("entry: set aside");
  return undefined;
}

interface Making {
  readonly preparation: Preparation;
  readonly lock: KeyLock;
}

async function makeEntry({ preparation, lock }: Making, deps: PrepareDeps, signal: AbortSignal): Promise<Manifest> {
  const { id, source } = preparation;
  const work = await openWork(preparation, deps);
  deps.progress.stage("listing");
  const listing = await source.list(signal);
  const { kept, skipped } = judgeFileTypes(listing.files, preparation.unsafeFiles);
  checkFileList(kept, deps.settings);
  deps.progress.total(sumOf(kept), kept.length);
  await deps.step("source: listed");
  const files = await bringFiles(kept, { ...deps, work }, signal);
  const now = new Date().toISOString();
  const manifest: Manifest = {
    version: 1,
    kind: id.kind,
    key: id.key,
    fingerprint: source.fingerprint,
    source: { type: source.type, name: source.name },
    revision: listing.revision,
    created: now,
    verified: now,
    skipped: skipped.slice(0, 100),
    files: [...files].sort((left, right) => (left.path < right.path ? -1 : 1)),
  };
  deps.progress.stage("publishing");
  signal.throwIfAborted();
  await publish({ manifest, work, id, lock }, deps);
  return manifest;
}

/** What notes tell of it, but for the time. */
export const askedOf = ({ id, source, unsafeFiles, storedRequest }: Preparation) => ({
  version: 1 as const,
  ...id,
  fingerprint: source.fingerprint,
  source: { type: source.type, name: source.name },
  unsafe_files: unsafeFiles,
  request: storedRequest,
});

/** Opens the work folder; what is in it is of use when it was made for the same content. */
async function openWork(preparation: Preparation, { folders, step }: PrepareDeps): Promise<WorkFolder> {
  const { id, source } = preparation;
  const work = folders.work(id);
  const before = await readWorkNote(work);
  const isNew = before?.fingerprint !== source.fingerprint;
  if (isNew) await onDisk(() => folders.discard(work.path).catch(ignoreMissing));
  await onDisk(() => mkdir(work.entry, { recursive: true, mode: 0o755 }));
  if (isNew) await salvage(id, folders, work);
  await writeWorkNote(work, {
    ...askedOf(preparation),
    created: before?.created ?? new Date().toISOString(),
    failure: null,
  });
  await step("work: noted");
  return work;
}

type BringDeps = PrepareDeps & { readonly work: WorkFolder };

async function bringFiles(files: readonly SourceFile[], deps: BringDeps, signal: AbortSignal): Promise<ManifestFile[]> {
  const { progress, settings, step, folders } = deps;
  progress.stage("checking_leftovers");
  const { complete, partialBytes } = await takeOverLeftovers(files, deps, signal);
  await step("leftovers: checked");
  const missing = files.filter(({ path }) => !complete.has(path));
  await checkFreeSpace(folders.root, Math.max(0, sumOf(missing) - partialBytes));
  progress.stage("fetching");
  const fetchDeps = { ...deps, policy: settings };
  const work = { items: missing, atOnce: settings.filesAtOnce };
  const fetched = await inParallel(work, (file, stop) => fetchFile(file, fetchDeps, stop), signal);
  await step("files: complete");
  return [...complete.values(), ...fetched];
}

const spareFactor = 1.1;

/** @throws AppError `CACHE_DISK_FULL` unless there is a tenth more room than is needed. */
async function checkFreeSpace(folder: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await onDisk(() => statfs(folder));
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes * spareFactor) return;
  const detail = `It needs ${Math.ceil(neededBytes * spareFactor)} bytes, a tenth of them to spare, and has ${freeBytes}.`;
  throw new AppError("CACHE_DISK_FULL", { detail });
}

interface Publication {
  readonly manifest: Manifest;
  readonly work: WorkFolder;
  readonly id: EntryId;
  readonly lock: KeyLock;
}

async function publish({ manifest, work, id, lock }: Publication, { folders, step }: PrepareDeps): Promise<void> {
  await writeManifest(work.entry, manifest);
  await step("manifest: written");
  await onDisk(() => syncTree(work.entry));
  await step("folders: durable");
  if (!(await lock.isHeld())) throw new AppError("CACHE_ENTRY_BUSY", { detail: "Another agent has taken it over." });
  const place = folders.entry(id);
  await onDisk(() => rename(work.entry, place));
  await step("entry: in its place");
  await onDisk(() => syncFolder(dirname(place)));
  await step("entry: durable");
  await onDisk(async () => {
    await folders.discard(work.path);
    await folders.discard(folders.quarantined(id)).catch(ignoreMissing);
  });
  await step("work: removed");
}

const sumOf = (files: readonly SourceFile[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

export function keyTaken(name: string): AppError {
  return new AppError("CACHE_KEY_TAKEN", { detail: `It is ${name}, or was asked for in another way.` });
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
