import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheKinds } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import { findPathFault } from "../check-file-list.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./to-disk-error.ts";
import { writeJson } from "./write-json.ts";

const manifestSchema = z.object({
  version: z.literal(1),
  kind: z.enum(cacheKinds),
  key: z.string(),
  /** Hash of what was asked for, so that the same request is known again. */
  fingerprint: z.string(),
  source: z.strictObject({ type: z.enum(["files", "local", "hub"]), name: z.string() }),
  revision: z.string().nullable(),
  created: z.iso.datetime(),
  verified: z.iso.datetime(),
  skipped: z.array(z.string()),
  files: z.array(
    z.object({
      path: z.string().refine((path) => findPathFault(path) === undefined),
      size: z.int().nonnegative(),
      sha256: z.string().length(64),
      /** Time of the last change in ns, to see without reading that a file is as it was. */
      mtime_ns: z.string(),
    }),
  ),
});

/** What an entry holds. It lies beside its files, in `manifest.json`. */
export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestFile = Manifest["files"][number];

export const manifestPath = (entryFolder: string): string => join(entryFolder, "manifest.json");
export const filesFolder = (entryFolder: string): string => join(entryFolder, "files");

/**
 * The manifest of an entry; undefined when there is no entry.
 * @throws AppError `CACHE_ENTRY_DAMAGED` when there is one without a manifest that makes sense.
 */
export async function readManifest(entryFolder: string): Promise<Manifest | undefined> {
  const text = await onDisk(() => readFile(manifestPath(entryFolder), "utf8").catch(ignoreMissing));
  if (text === undefined) return undefined;
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new AppError("CACHE_ENTRY_DAMAGED", { detail: "Its manifest cannot be read." }, error);
  }
}

export const writeManifest = (entryFolder: string, manifest: Manifest): Promise<void> =>
  onDisk(() => writeJson(manifestPath(entryFolder), manifest));

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
