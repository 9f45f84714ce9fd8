import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { shown } from "../check-file-list.ts";
import type { Manifest, ManifestFile } from "./manifest.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./to-disk-error.ts";

export interface Comparison {
  /** What is wrong for certain, as the end of a sentence about the entry. */
  readonly faults: readonly string[];
  /** Files of the right size that were touched, so that only their bytes can tell. */
  readonly touched: readonly ManifestFile[];
}

const filesAtOnce = 32;

/** Compares names, types, sizes and times of the files of an entry with its manifest, without reading them. */
export function compareWithManifest(folder: string, manifest: Manifest): Promise<Comparison> {
  return onDisk(async () => {
    const faults: string[] = [];
    const touched: ManifestFile[] = [];
    const wanted = new Set(manifest.files.map(({ path }) => path));
    for (const path of await listFiles(folder, "")) {
      if (!wanted.has(path)) faults.push(`${shown(path)} was added`);
    }
    for (let at = 0; at < manifest.files.length; at += filesAtOnce) {
      const some = manifest.files.slice(at, at + filesAtOnce);
      const verdicts = await Promise.all(some.map((file) => judge(join(folder, file.path), file)));
      for (const [index, file] of some.entries()) {
        if (verdicts[index] === "touched") touched.push(file);
        else if (verdicts[index] !== "fits") faults.push(`${shown(file.path)} ${verdicts[index]}`);
      }
    }
    return { faults, touched };
  });
}

async function judge(path: string, file: ManifestFile): Promise<string> {
  try {
    const found = await lstat(path, { bigint: true });
    if (!found.isFile()) return "is no plain file";
    if (found.size !== BigInt(file.size)) return `has ${found.size} bytes instead of ${file.size}`;
    return String(found.mtimeNs) === file.mtime_ns ? "fits" : "touched";
  } catch (error) {
    if (isMissing(error)) return "is missing";
    throw error;
  }
}

/** Paths of all that is in a folder and is no folder, with slashes. */
export async function listFiles(folder: string, below: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(folder, below), { withFileTypes: true }).catch(noneWhenMissing)) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await listFiles(folder, path)));
    else found.push(path);
  }
  return found;
}

function noneWhenMissing(error: unknown): [] {
  if (!isMissing(error)) throw error;
  return [];
}
