import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { compareWithManifest } from "./disk/compare-with-manifest.ts";
import { createContentHash, readBlocks } from "./disk/content-hash.ts";
import { filesFolder, type Manifest, type ManifestFile, readManifest, writeManifest } from "./disk/manifest.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { readDamage } from "./set-aside.ts";

export type Inspection =
  | { readonly state: "absent" }
  | { readonly state: "fits"; readonly manifest: Manifest }
  | { readonly state: "damaged"; readonly manifest: Manifest | undefined; readonly fault: AppError };

interface Depth {
  /** Which files are read and hashed: none, those whose times say that they were touched, or all. */
  readonly hash: "none" | "touched" | "all";
  readonly onBytes?: (count: number) => void;
}

/**
 * Compares an entry with its manifest. A file whose size and time are as they were is taken to hold what it held, unless all
 * are to be hashed. When what was hashed fits, times and the time of hashing are written down anew.
 */
export async function inspectEntry(folder: string, depth: Depth, signal: AbortSignal): Promise<Inspection> {
  const noted = await readDamage(folder);
  const manifest = await readManifest(folder).catch((error: unknown) => {
    if (error instanceof AppError && error.reason === "CACHE_ENTRY_DAMAGED") return error;
    throw error;
  });
  if (manifest instanceof AppError) return { state: "damaged", manifest: undefined, fault: manifest };
  if (manifest === undefined) return inspectBare(folder);
  if (noted !== undefined) return { state: "damaged", manifest, fault: noted };
  const files = filesFolder(folder);
  const { faults, touched } = await compareWithManifest(files, manifest);
  if (faults.length > 0) return { state: "damaged", manifest, fault: damaged(faults) };
  if (depth.hash === "none" && touched.length > 0) return { state: "damaged", manifest, fault: wasTouched(touched) };
  const toHash = depth.hash === "all" ? manifest.files : touched;
  if (toHash.length === 0 && depth.hash !== "all") return { state: "fits", manifest };
  const times = new Map<string, string>();
  for (const file of toHash) {
    const verdict = await hashFile(join(files, file.path), file, { ...depth, signal });
    if (verdict.fault !== undefined) return { state: "damaged", manifest, fault: damaged([verdict.fault]) };
    times.set(file.path, verdict.mtimeNs);
  }
  return { state: "fits", manifest: await writeDown(folder, manifest, { times, isWhole: depth.hash === "all" }) };
}

// A folder without a manifest is none of ours; it was never published whole.
async function inspectBare(folder: string): Promise<Inspection> {
  const isThere = await onDisk(() => lstat(folder).then(Boolean, noneWhenMissing));
  if (!isThere) return { state: "absent" };
  return { state: "damaged", manifest: undefined, fault: damaged(["its manifest is missing"]) };
}

interface HashDeps extends Depth {
  readonly signal: AbortSignal;
}

async function hashFile(path: string, file: ManifestFile, { onBytes, signal }: HashDeps) {
  const hash = createContentHash(file.size, {});
  return onDisk(async () => {
    const before = await lstat(path, { bigint: true });
    await readBlocks(
      path,
      (block) => {
        hash.update(block);
        onBytes?.(block.length);
      },
      signal,
    );
    const isSame = hash.digest().sha256 === file.sha256;
    const fault = isSame ? undefined : `\`${file.path}\` has another sha256 than it was prepared with`;
    return { fault, mtimeNs: String(before.mtimeNs) };
  });
}

interface Hashed {
  readonly times: ReadonlyMap<string, string>;
  readonly isWhole: boolean;
}

async function writeDown(folder: string, manifest: Manifest, { times, isWhole }: Hashed): Promise<Manifest> {
  const files = manifest.files.map((file) => ({ ...file, mtime_ns: times.get(file.path) ?? file.mtime_ns }));
  const updated = { ...manifest, files, ...(isWhole && { verified: new Date().toISOString() }) };
  await writeManifest(folder, updated);
  return updated;
}

function wasTouched([first]: readonly ManifestFile[]): AppError {
  const detail = `\`${first?.path ?? ""}\` was touched since; verify the entry, or prepare it again, to have it hashed.`;
  return new AppError("CACHE_ENTRY_DAMAGED", { detail });
}

function damaged(faults: readonly string[]): AppError {
  const more = faults.length > 3 ? `, and ${faults.length - 3} more` : "";
  return new AppError("CACHE_ENTRY_DAMAGED", { detail: `${faults.slice(0, 3).join(", ")}${more}.` });
}

function noneWhenMissing(error: unknown): false {
  if (!isMissing(error)) throw error;
  return false;
}
