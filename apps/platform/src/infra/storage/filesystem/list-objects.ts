import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { compareKeys } from "../object-key.ts";
import type { ListOptions, ObjectEntry } from "../object-store.ts";
import { parseEntryName } from "./key-path.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { toFilesystemError } from "./to-filesystem-error.ts";

type Search = Pick<ListOptions, "startAfter" | "signal"> & { readonly prefix: string };

/**
 * Walks the folders in the order of the keys; of a folder that cannot hold a key that is sought nothing is read. `prefix` is
 * compared with keys and never becomes a path. Objects that come or go meanwhile may be left out.
 */
export async function* listObjects(objects: string, search: Search): AsyncGenerator<ObjectEntry> {
  yield* listFolder({ path: objects, key: "" }, search);
}

interface Folder {
  readonly path: string;
  /** What the keys in it begin with, with the slash; empty for the topmost. */
  readonly key: string;
}

async function* listFolder(folder: Folder, search: Search): AsyncGenerator<ObjectEntry> {
  for (const { kind, key, path } of await readFolder(folder)) {
    search.signal?.throwIfAborted();
    if (kind === "folder" && mayHold(key, search)) yield* listFolder({ path, key }, search);
    if (kind !== "object" || !key.startsWith(search.prefix) || !isAfter(key, search.startAfter)) continue;
    const entry = await describeObject(key, path);
    if (entry !== undefined) yield entry;
  }
}

async function readFolder({ path, key }: Folder) {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    // One folder may go; without the topmost there is no store.
    if (key !== "" && isMissing(error)) return [];
    throw toFilesystemError(error);
  });
  return entries
    .flatMap((entry) => {
      const part = parseEntryName(entry.name, entry.isDirectory());
      if (part === undefined) return [];
      const end = part.kind === "folder" ? "/" : "";
      return [{ kind: part.kind, key: `${key}${part.segment}${end}`, path: join(path, entry.name) }];
    })
    .sort((left, right) => compareKeys(left.key, right.key));
}

function mayHold(folderKey: string, { prefix, startAfter }: Search): boolean {
  if (!folderKey.startsWith(prefix) && !prefix.startsWith(folderKey)) return false;
  return startAfter === undefined || startAfter.startsWith(folderKey) || isAfter(folderKey, startAfter);
}

function isAfter(key: string, startAfter: string | undefined): boolean {
  return startAfter === undefined || compareKeys(key, startAfter) > 0;
}

async function describeObject(key: string, path: string): Promise<ObjectEntry | undefined> {
  try {
    const { size: sizeBytes, mtime: modifiedAt } = await stat(path);
    return { key, sizeBytes, modifiedAt };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw toFilesystemError(error);
  }
}
