import { mkdir, rename } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { codeOf, isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { syncFolder } from "@attune/service-kit/disk/sync-folder.ts";
import { onDisk } from "./to-filesystem-error.ts";

export interface StoreFolders {
  /** Objects, by the path of their key. */
  readonly objects: string;
  /** Files that are being written. */
  readonly temporary: string;
  /** Uploads in parts, one folder each. */
  readonly uploads: string;
  /**
   * Moves a finished file to its place, which another file may hold, and makes the move durable. Folders on the way are made.
   */
  publish(temporaryPath: string, objectPath: string): Promise<void>;
}

/** Makes the store's folders below `root` where they are missing. */
export async function openFolders(root: string, crashPoint: (name: string) => Promise<void>): Promise<StoreFolders> {
  const [objects, temporary, uploads] = [join(root, "objects"), join(root, "temporary"), join(root, "uploads")];
  await onDisk(async () => {
    for (const folder of [objects, temporary, uploads]) await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(root);
    await syncFolder(dirname(root));
  });
  // Folders whose own entry is known to be on the disk. They are never removed, and keys are made so that they stay few.
  const durable = new Set<string>();
  const publish = async (temporaryPath: string, objectPath: string) => {
    const folder = dirname(objectPath);
    await makeFolders(objects, folder, durable);
    try {
      await rename(temporaryPath, objectPath);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // Somebody removed the folder by hand.
      durable.clear();
      await makeFolders(objects, folder, durable);
      await rename(temporaryPath, objectPath);
    }
    await crashPoint("file: in its place");
    await syncFolder(folder);
  };
  return { objects, temporary, uploads, publish: (from, to) => onDisk(() => publish(from, to)) };
}

// Level by level, and not the first: a store whose volume is gone must not come up anew, and empty, on the disk below.
async function makeFolders(objects: string, folder: string, durable: Set<string>): Promise<void> {
  let path = objects;
  for (const name of relative(objects, folder).split(sep).filter(Boolean)) {
    const parent = path;
    path = join(path, name);
    if (durable.has(path)) continue;
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    // Also when it was there: whoever made it may not have come to this yet.
    await syncFolder(parent);
    if (durable.size > 100_000) durable.clear();
    durable.add(path);
  }
}
