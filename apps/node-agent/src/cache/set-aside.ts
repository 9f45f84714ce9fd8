import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import type { CacheFolders, EntryId, WorkFolder } from "./disk/cache-folders.ts";
import { filesFolder } from "./disk/manifest.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { writeJson } from "./disk/write-json.ts";

const damageSchema = z.object({ found: z.iso.datetime(), detail: z.string() });
const damagePath = (entryFolder: string): string => join(entryFolder, "damaged.json");

/** Notes in an entry that it is damaged, so that nothing uses it from now on, whoever asks. */
export const noteDamage = (entryFolder: string, fault: AppError): Promise<void> =>
  onDisk(() =>
    writeJson(damagePath(entryFolder), { found: new Date().toISOString(), detail: fault.details.detail ?? "" }),
  );

/** What was noted of an entry; undefined when nothing was. */
export async function readDamage(entryFolder: string): Promise<AppError | undefined> {
  const text = await onDisk(() =>
    readFile(damagePath(entryFolder), "utf8").catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    }),
  );
  if (text === undefined) return undefined;
  return new AppError("CACHE_ENTRY_DAMAGED", { detail: readDetail(text) });
}

function readDetail(text: string): string {
  try {
    return damageSchema.parse(JSON.parse(text)).detail;
  } catch {
    return "It was found to be damaged before.";
  }
}

/** Moves a damaged entry to where nothing uses it; what was there of the same key is removed. */
export async function setAside(id: EntryId, folders: CacheFolders): Promise<void> {
  await onDisk(async () => {
    await folders.discard(folders.quarantined(id)).catch(ignoreMissing);
    await rename(folders.entry(id), folders.quarantined(id));
  });
}

/** Makes the files of a damaged entry those of an attempt before, so that only what does not fit is fetched again. */
export async function salvage(id: EntryId, folders: CacheFolders, work: WorkFolder): Promise<void> {
  await onDisk(async () => {
    const quarantined = folders.quarantined(id);
    await rename(filesFolder(quarantined), work.files).catch(ignoreMissing);
    await folders.discard(quarantined).catch(ignoreMissing);
  });
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
