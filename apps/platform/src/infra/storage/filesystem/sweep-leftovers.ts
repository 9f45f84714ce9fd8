import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SweepOptions, SweepReport } from "../object-store.ts";
import type { StoreFolders } from "./folders.ts";
import type { TemporaryFiles } from "./temporary-files.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./to-filesystem-error.ts";

interface SweepDeps {
  readonly folders: StoreFolders;
  readonly temporary: TemporaryFiles;
  readonly nowMs: () => number;
}

/** Temporary files and uploads that were last written to longer ago than that. */
export async function sweepLeftovers(deps: SweepDeps, { olderThanMs, signal }: SweepOptions): Promise<SweepReport> {
  const { folders, temporary, nowMs } = deps;
  const endMs = nowMs() - olderThanMs;
  let removedCount = 0;
  for (const path of [...(await listPaths(folders.temporary)), ...(await listPaths(folders.uploads))]) {
    signal?.throwIfAborted();
    if (temporary.isInUse(path) || (await onDisk(() => findLastWriteMs(path))) > endMs) continue;
    await onDisk(() => rm(path, { recursive: true, force: true }));
    removedCount++;
  }
  return { removedCount };
}

async function listPaths(folder: string): Promise<string[]> {
  const names = await onDisk(() => readdir(folder));
  return names.map((name) => join(folder, name));
}

/** Of a folder: the latest of its own and its files'; infinite for what is gone meanwhile. */
async function findLastWriteMs(path: string): Promise<number> {
  try {
    const status = await stat(path);
    const names = status.isDirectory() ? await readdir(path) : [];
    const times = await Promise.all(names.map(async (name) => (await stat(join(path, name))).mtimeMs));
    return Math.max(status.mtimeMs, ...times);
  } catch (error) {
    if (isMissing(error)) return Infinity;
    throw error;
  }
}
