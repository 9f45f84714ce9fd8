import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { syncFolder } from "@attune/service-kit/disk/sync-folder.ts";
import * as z from "zod";
import { type CacheFolders, type EntryId, entryName, parseEntryName } from "./disk/cache-folders.ts";
import { findLiveness, identifyThisProcess, processIdentity } from "./disk/process-identity.ts";
import { readJson } from "./disk/read-json.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { writeJson } from "./disk/write-json.ts";
import { askedOf, type Preparation } from "./prepare-entry.ts";
import { askedFields } from "./work-note.ts";

const requestNoteSchema = z.object({ ...askedFields, owner: processIdentity });

/** A request that was accepted and is not done with: a file of its own, of the process that accepted it. */
export type RequestNote = z.infer<typeof requestNoteSchema>;

export interface NotedRequest {
  readonly id: EntryId;
  readonly path: string;
  readonly note: RequestNote;
}

const endOfName = /\.[0-9a-f-]{36}\.json$/;

/** The entry that a file among the requests is about; undefined when it is no whole note. */
export function parseNoteName(name: string): EntryId | undefined {
  return endOfName.test(name) ? parseEntryName(name.replace(endOfName, "")) : undefined;
}

/** Writes down that a request was accepted, durable when it returns. @throws AppError `CACHE_DISK_FULL`, `CACHE_DISK_FAILED` */
export async function writeRequestNote(preparation: Preparation, { requests }: CacheFolders): Promise<string> {
  const path = join(requests, `${entryName(preparation.id)}.${randomUUID()}.json`);
  const note: RequestNote = {
    ...askedOf(preparation),
    created: new Date().toISOString(),
    owner: await identifyThisProcess(),
  };
  try {
    await onDisk(() => writeJson(path, note));
  } catch (error) {
    // It may be there and not be durable.
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
  return path;
}

export function removeRequestNote(path: string): Promise<void> {
  return onDisk(async () => {
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  });
}

/** What was accepted and is not done with, of one entry or of all; the oldest first. */
export async function listRequestNotes({ requests }: CacheFolders, of?: EntryId): Promise<NotedRequest[]> {
  const found: NotedRequest[] = [];
  for (const name of await onDisk(() => readdir(requests))) {
    const id = parseNoteName(name);
    if (id === undefined || (of !== undefined && entryName(of) !== entryName(id))) continue;
    const path = join(requests, name);
    const note = await readJson(path, requestNoteSchema);
    if (note !== undefined) found.push({ id, path, note });
  }
  return found.sort((left, right) => (left.note.created < right.note.created ? -1 : 1));
}

/** Whether another process that is there will do it. One of another container cannot be seen, and is taken to be gone. */
export async function isOfAnother({ owner }: RequestNote): Promise<boolean> {
  return owner.pid !== process.pid && (await findLiveness(owner)) === "alive";
}

/** @throws AppError `CACHE_ENTRY_BUSY` when another process is to make the entry. */
export async function refuseWhereOthersWait(id: EntryId, folders: CacheFolders): Promise<void> {
  for (const { note } of await listRequestNotes(folders, id)) {
    if (await isOfAnother(note)) throw new AppError("CACHE_ENTRY_BUSY", { detail: "Another agent is to make it." });
  }
}

/** Removes the notes of an entry, without those of other processes and the one at `kept`; tells whether there were any. */
export async function discardRequestNotes(id: EntryId, folders: CacheFolders, kept?: string): Promise<boolean> {
  let isAny = false;
  for (const { note, path } of await listRequestNotes(folders, id)) {
    if (path === kept || (await isOfAnother(note))) continue;
    await removeRequestNote(path);
    isAny = true;
  }
  return isAny;
}
