import { chmod, lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SourceFile } from "./cache-source.ts";
import type { WorkFolder } from "./disk/cache-folders.ts";
import { listFiles } from "./disk/compare-with-manifest.ts";
import { createContentHash, type ExpectedHash, findHashFault, readBlocks } from "./disk/content-hash.ts";
import type { ManifestFile } from "./disk/manifest.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { type FileNote, partialPaths, readFileNote } from "./file-note.ts";
import type { ProgressMeter } from "./progress-meter.ts";

export interface Leftovers {
  /** Files of an attempt before that fit, hashed again. */
  readonly complete: ReadonlyMap<string, ManifestFile>;
  /** Bytes of files that are not complete. */
  readonly partialBytes: number;
}

interface LeftoverDeps {
  readonly work: WorkFolder;
  readonly progress: ProgressMeter;
}

/** Keeps what an attempt before has left and fits what is wanted now, and removes everything else. */
export async function takeOverLeftovers(
  files: readonly SourceFile[],
  { work, progress }: LeftoverDeps,
  signal: AbortSignal,
): Promise<Leftovers> {
  const wanted = new Map(files.map((file) => [file.path, file]));
  const complete = new Map<string, ManifestFile>();
  for (const path of await onDisk(() => listFiles(work.files, ""))) {
    const file = wanted.get(path);
    const found = file === undefined ? undefined : await judge(file, work, signal);
    if (found === undefined) await onDisk(() => rm(join(work.files, path), { force: true }));
    else {
      complete.set(path, found);
      progress.resumed(found.size);
      progress.fileDone();
    }
  }
  await onDisk(() => removeEmptyWay(work, files));
  return { complete, partialBytes: await sweepPartials(files, work) };
}

async function judge(file: SourceFile, work: WorkFolder, signal: AbortSignal): Promise<ManifestFile | undefined> {
  const path = join(work.files, file.path);
  const found = await onDisk(() => lstat(path, { bigint: true }));
  if (!found.isFile() || found.size !== BigInt(file.sizeBytes)) return undefined;
  const note = await readFileNote(partialPaths(work.partial, file.path).note, file);
  const expected = toExpected(file, note);
  if (expected === undefined) return undefined;
  const hash = createContentHash(file.sizeBytes, expected);
  await onDisk(() => readBlocks(path, hash.update, signal));
  const digest = hash.digest();
  if (findHashFault(digest, expected) !== undefined) return undefined;
  await onDisk(() => chmod(path, 0o444));
  return { path: file.path, size: file.sizeBytes, sha256: digest.sha256, mtime_ns: String(found.mtimeNs) };
}

// Without a hash to expect, it must be what was copied, from a source that was not written to since.
function toExpected(file: SourceFile, note: FileNote | undefined): ExpectedHash | undefined {
  if (file.sha256 !== undefined || file.gitOid !== undefined) return file;
  if (note === undefined || note.sha256 === null || note.etag !== (file.version ?? null)) return undefined;
  return { sha256: note.sha256 };
}

// A folder of a listing before may lie where a file is to be now.
async function removeEmptyWay(work: WorkFolder, files: readonly SourceFile[]): Promise<void> {
  for (const { path } of files) {
    const place = join(work.files, path);
    const found = await lstat(place).catch(() => undefined);
    if (found?.isDirectory() === true) await rm(place, { recursive: true });
  }
}

async function sweepPartials(files: readonly SourceFile[], work: WorkFolder): Promise<number> {
  const wanted = new Set(files.flatMap(({ path }) => Object.values(partialPaths(work.partial, path))));
  let bytes = 0;
  return onDisk(async () => {
    await mkdir(work.partial, { recursive: true, mode: 0o700 });
    for (const name of await listFiles(work.partial, "")) {
      const path = join(work.partial, name);
      if (!wanted.has(path)) await rm(path, { force: true });
      else if (name.endsWith(".part")) bytes += await sizeOf(path);
    }
    return bytes;
  });
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
