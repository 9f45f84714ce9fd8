import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CacheContext } from "./cache-context.ts";
import { entryName } from "./disk/cache-folders.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { seeEntry } from "./entry-views.ts";
import type { Leftover } from "./recover-leftovers.ts";
import { isOfAnother, listRequestNotes, type NotedRequest, parseNoteName, removeRequestNote } from "./request-note.ts";

type RecoverDeps = Pick<CacheContext, "folders" | "settings" | "takeUses">;

/** Goes through what was accepted and is not done with, the oldest first, and removes what is of no use. */
export async function recoverRequests(deps: RecoverDeps): Promise<Leftover[]> {
  const { requests } = deps.folders;
  const names = await onDisk(() => readdir(requests));
  const noted = await listRequestNotes(deps.folders);
  const whole = new Set(noted.map(({ path }) => path));
  for (const name of names) {
    const path = join(requests, name);
    if (!whole.has(path) && (await isOfNoUse(path, name))) await onDisk(() => rm(path, { force: true }));
  }
  const found: Leftover[] = [];
  for (const request of noted) found.push(await judge(request, deps));
  return found;
}

/** A file that was to become a note; a process that still makes one has done so within the minute. */
async function isOfNoUse(path: string, name: string): Promise<boolean> {
  if (parseNoteName(name) !== undefined) return true;
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > 60_000;
}

async function judge({ id, path, note }: NotedRequest, deps: RecoverDeps): Promise<Leftover> {
  const leftover = { name: entryName(id), bytes: 0 };
  if (await isOfAnother(note)) return { ...leftover, outcome: "busy" };
  const isOld = Date.now() - Date.parse(note.created) > deps.settings.keepUnfinishedMs;
  if (isOld || (await seeEntry(id, deps))?.view.state === "ready") {
    await removeRequestNote(path);
    return { ...leftover, outcome: "removed" };
  }
  const { request, unsafe_files } = note;
  if (request === null) return { ...leftover, outcome: "kept" };
  return { ...leftover, outcome: "resumed", resumable: { ...id, source: request, unsafe_files } };
}
