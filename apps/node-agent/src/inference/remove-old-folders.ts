import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Folders of sessions that are over and kept for their logs. */
const kept = 30;

/** Removes the folders of the oldest sessions that are over. Their names grow with time. What cannot be removed stays. */
export async function removeOldFolders(folder: string, live: ReadonlySet<string>): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const over = names.filter((name) => !live.has(name) && /^[0-9a-f-]{36}$/.test(name)).toSorted();
  const old = over.slice(0, Math.max(0, over.length - kept));
  await Promise.all(old.map((name) => rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined)));
}
