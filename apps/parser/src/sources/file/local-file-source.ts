import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { freeMemory } from "@attune/service-kit/free-memory.ts";
import { closeWith } from "../../outbound/close-with.ts";
import type { FileSource, OpenedFile } from "../file-source.ts";
import { toFileName } from "../to-file-name.ts";
import { parseFileUrl } from "./parse-file-url.ts";

export interface LocalFileSourceSettings {
  /** Absolute folders that files may be read from, those below included; empty: none. */
  readonly roots: readonly string[];
  /** Whether a file with further hard links is read, although another of its names may lie outside the roots. */
  readonly isHardLinkAllowed: boolean;
}

const chunkBytes = 1 << 20;

/**
 * Files of this machine inside the configured folders. A path is judged by its text before anything is touched; the file
 * is then opened and the open descriptor is judged, so that nothing exchanged in between can lead elsewhere.
 */
export function createLocalFileSource(settings: LocalFileSourceSettings): FileSource {
  return {
    schemes: ["file"],
    open: async (url, signal) => {
      signal.throwIfAborted();
      if (settings.roots.length === 0) throw refuse("No folder is open to file URLs (PARSER_FILE_ROOTS).");
      const path = parseFileUrl(url);
      const roots = await findRoots(settings.roots);
      if (!isInside(path, roots)) throw refuseOutside();
      const handle = await openFile(path, roots);
      try {
        const stats = await judgeHandle({ handle, path, roots }, settings);
        return toOpenedFile(handle, stats, { path, signal });
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
  };
}

// A root may be given through a symbolic link; both of its names count.
async function findRoots(roots: readonly string[]): Promise<string[]> {
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => resolve(root))));
  return [...roots.map((root) => resolve(root)), ...real];
}

function isInside(path: string, roots: readonly string[]): boolean {
  if (/^\/(?:proc|sys|dev)\//.test(path)) return false;
  return roots.some((root) => path.startsWith(root.endsWith(sep) ? root : root + sep));
}

async function openFile(path: string, roots: readonly string[]): Promise<FileHandle> {
  try {
    // Non-blocking, because opening a FIFO would else wait for a writer.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (!isInside(`${await findExistingFolder(dirname(path))}${sep}`, roots)) throw refuseOutside(error);
    throw toOpenError(error);
  }
}

// What lies behind a link that leads out of the roots is told to nobody, not even whether it exists.
async function findExistingFolder(folder: string): Promise<string> {
  const parent = dirname(folder);
  return await realpath(folder).catch(() => (parent === folder ? folder : findExistingFolder(parent)));
}

function toOpenError(error: unknown): AppError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG")
    return new AppError("FILE_NOT_FOUND", {}, error);
  if (code === "EACCES" || code === "EPERM") return new AppError("FETCH_DENIED", {}, error);
  if (code === "ELOOP") return refuse("It is a symbolic link.", error);
  if (code === "ENXIO" || code === "ENODEV") return refuse("It is not a regular file.", error);
  return new AppError("FETCH_FAILED", {}, error);
}

interface OpenHandle {
  readonly handle: FileHandle;
  readonly path: string;
  readonly roots: readonly string[];
}

async function judgeHandle(opened: OpenHandle, settings: LocalFileSourceSettings): Promise<BigIntStats> {
  const stats = await opened.handle.stat({ bigint: true });
  if (!isInside(await findRealPath(opened, stats), opened.roots)) throw refuseOutside();
  if (!stats.isFile()) throw refuse("It is not a regular file.");
  if (stats.nlink > 1n && !settings.isHardLinkAllowed) {
    throw refuse("It has further hard links, one of which may lie outside the folders (PARSER_FILE_HARD_LINKS).");
  }
  return stats;
}

/** Where the open file lies; without /proc, where its path leads, provided that it still leads to the same file. */
async function findRealPath({ handle, path }: OpenHandle, stats: BigIntStats): Promise<string> {
  const known = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (known !== undefined) return known;
  const real = await realpath(path).catch(() => "");
  const now = await stat(real, { bigint: true }).catch(() => undefined);
  return now?.dev === stats.dev && now.ino === stats.ino ? real : "";
}

interface ReadRequest {
  readonly path: string;
  readonly signal: AbortSignal;
}

function toOpenedFile(handle: FileHandle, stats: BigIntStats, { path, signal }: ReadRequest): OpenedFile {
  const fileName = toFileName(path);
  return {
    stream: closeWith(readHandle(handle, stats, signal), () => handle.close()),
    sizeBytes: Number(stats.size),
    ...(fileName !== undefined && { fileName }),
  };
}

async function* readHandle(handle: FileHandle, before: BigIntStats, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // One byte more than the file has, so that one that grows is noticed.
  const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, Number(before.size) + 1));
  let readBytes = 0n;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    readBytes += BigInt(bytesRead);
    if (readBytes > before.size) throw changed();
    yield buffer.subarray(0, bytesRead);
  }
  freeMemory(buffer);
  const after = await handle.stat({ bigint: true });
  if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) throw changed();
}

function changed(): AppError {
  return new AppError("FETCH_FAILED", { detail: "It changed while it was being read." });
}

function refuseOutside(cause?: unknown): AppError {
  return refuse("It lies outside the folders that are open to file URLs (PARSER_FILE_ROOTS).", cause);
}

function refuse(detail: string, cause?: unknown): AppError {
  return new AppError("FETCH_REFUSED", { detail }, cause);
}
