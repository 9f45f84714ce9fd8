import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";

/** A folder whose files may be read. */
export interface FileRoot {
  readonly name: "runs" | "cache";
  readonly path: string;
  /** Names directly in it that are nobody's business. */
  readonly isHidden: (name: string) => boolean;
}

export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
  /** Where it really lies. */
  readonly path: string;
}

interface WantedFile {
  readonly path: string;
  readonly root?: string | undefined;
}

/**
 * Opens a plain file inside a root. Whatever links it is reached by, and whoever changes them meanwhile: what counts is where
 * the opened file lies. Pipes and devices are not opened, and could not hold up the caller if they were.
 * @throws AppError `NODE_FILE_NOT_READABLE`, in the same words for all that is not there, not allowed or no plain file.
 */
export async function openInside({ path, root }: WantedFile, roots: readonly FileRoot[]): Promise<OpenFile> {
  try {
    return await openReal(toAbsolute(path, root, roots), roots);
  } catch (error) {
    throw error instanceof AppError ? error : refuse(error);
  }
}

function toAbsolute(path: string, rootName: string | undefined, roots: readonly FileRoot[]): string {
  if (path.includes("\0")) throw refuse();
  if (rootName === undefined) {
    if (!path.startsWith("/")) throw refuse();
    return path;
  }
  const root = roots.find(({ name }) => name === rootName);
  if (root === undefined || path.startsWith("/")) throw refuse();
  return join(root.path, path);
}

async function openReal(path: string, roots: readonly FileRoot[]): Promise<OpenFile> {
  const real = await realpath(path);
  await judgePlace(real, roots);
  if (!(await lstat(real)).isFile()) throw refuse();
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw refuse();
    const opened = await findPlace(handle, real, stats);
    await judgePlace(opened, roots);
    return { handle, stats, path: opened, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

// Where the opened file lies, as the system says; elsewhere than on Linux, the path again, if it still leads to the same file.
async function findPlace(handle: FileHandle, real: string, stats: BigIntStats): Promise<string> {
  if (process.platform === "linux") return readlink(`/proc/self/fd/${handle.fd}`);
  const again = await realpath(real);
  const found = await lstat(again, { bigint: true });
  if (found.ino !== stats.ino || found.dev !== stats.dev) throw refuse();
  return again;
}

async function judgePlace(path: string, roots: readonly FileRoot[]): Promise<void> {
  for (const root of roots) {
    const folder = await realpath(root.path).catch(() => undefined);
    if (folder === undefined || !path.startsWith(folder + sep)) continue;
    const [first = ""] = path.slice(folder.length + 1).split(sep);
    if (!root.isHidden(first)) return;
  }
  throw refuse();
}

function refuse(cause?: unknown): AppError {
  return new AppError("NODE_FILE_NOT_READABLE", {}, cause);
}
