import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, stat, utimes } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { findDeadFolders, ownFolderPrefix } from "./dead-folders.ts";
import { toStorageError } from "./write-whole.ts";

/** The folder of this process: nobody else may look inside, and names in it cannot be guessed. */
export interface SpoolFolder {
  /** A new file that only this user may read. */
  createFile(): Promise<{ readonly handle: FileHandle; readonly path: string }>;
  remove(path: string): Promise<void>;
  close(): Promise<void>;
}

/** How often the folder is marked as in use, for processes that cannot see whether this one lives. */
const heartbeatMs = 60_000;

/** @throws AppError `STORAGE_FULL`; Error when the folder is another user's in a place where anybody may make folders. */
export async function openSpoolFolder(workDirectory: string): Promise<SpoolFolder> {
  const parent = resolve(workDirectory);
  await mkdir(parent, { recursive: true, mode: 0o700 }).catch(toStorageError);
  await assertNotPlanted(parent);
  for (const name of await findDeadFolders(parent, await readdir(parent))) {
    await rm(join(parent, name), { recursive: true, force: true });
  }
  const folder = await mkdtemp(join(parent, await ownFolderPrefix())).catch(toStorageError);
  const heartbeat = setInterval(() => void utimes(folder, new Date(), new Date()).catch(() => {}), heartbeatMs);
  heartbeat.unref();
  return {
    createFile: async () => {
      const path = join(folder, randomUUID());
      return { path, handle: await open(path, "wx", 0o600).catch(toStorageError) };
    },
    remove: (path) => rm(path, { force: true }),
    close: async () => {
      clearInterval(heartbeat);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

// In /tmp and its like, another user may have made the folder first, and could then exchange what lies in it.
async function assertNotPlanted(folder: string): Promise<void> {
  const uid = process.getuid?.();
  const [own, parent] = await Promise.all([stat(folder), stat(dirname(folder))]);
  const isParentOpen = (parent.mode & 0o002) !== 0;
  if (uid !== undefined && isParentOpen && own.uid !== uid) {
    throw new Error("The work folder belongs to another user; set PARSER_WORK_DIR to a folder of this service's own.");
  }
}
