import { constants, type BigIntStats } from "node:fs";
import { lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import type { CacheSourceRequest } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { CacheSource, SourceFile } from "../cache-source.ts";
import { shown, tooManyFiles } from "../check-file-list.ts";
import { fingerprint } from "./fingerprint.ts";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";

type LocalRequest = Extract<CacheSourceRequest, { type: "local" }>;

interface LocalDeps {
  /** Folders that may be prepared from. */
  readonly roots: readonly string[];
  readonly maxFiles: number;
}

const maxDepth = 32;
const blockBytes = 512 * 1024;

/**
 * A folder or a file of the node. Links are followed where they lead to a file or folder inside a root, as those of a hub's
 * own cache do.
 */
export function createLocalSource({ path, revision }: LocalRequest, deps: LocalDeps): CacheSource {
  const hash = fingerprint({ type: "local", path, revision });
  const name = basename(path).replaceAll(/[^A-Za-z0-9._-]+/g, "-");
  return {
    type: "local",
    name: path,
    fingerprint: hash,
    suggestedKey: `${name.replace(/^[^A-Za-z0-9]+/, "").slice(0, 80) || "local"}-${hash.slice(0, 12)}`,
    list: async () => {
      const roots = await resolveRoots(deps.roots);
      const start = await resolveInside(path, roots);
      const files: SourceFile[] = [];
      const isFile = (await stat(start)).isFile();
      if (isFile) files.push(await toSourceFile(start, basename(path)));
      else await walk({ folder: start, below: "", depth: 0 }, { roots, files, maxFiles: deps.maxFiles });
      return { files, revision: revision ?? null };
    },
  };
}

async function resolveRoots(roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)));
  return found.filter((root) => root !== undefined);
}

const isInside = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));

// The same words for what is not there and what is not allowed, so that nothing outside can be learned from them.
async function resolveInside(path: string, roots: readonly string[]): Promise<string> {
  const real = path.startsWith("/") && !path.includes("\0") ? await realpath(path).catch(() => undefined) : undefined;
  if (real === undefined || !isInside(real, roots)) throw new AppError("CACHE_ROOT_REFUSED");
  return real;
}

interface Walk {
  readonly roots: readonly string[];
  readonly files: SourceFile[];
  readonly maxFiles: number;
}

interface Place {
  readonly folder: string;
  readonly below: string;
  readonly depth: number;
}

async function walk({ folder, below, depth }: Place, into: Walk): Promise<void> {
  if (depth > maxDepth) {
    throw new AppError("CACHE_PATH_UNSAFE", { detail: `${shown(below)} lies more than ${maxDepth} folders deep.` });
  }
  for (const name of (await onSource(() => readdir(folder))).sort()) {
    const path = below === "" ? name : `${below}/${name}`;
    const real = await resolveEntry(join(folder, name), path, into.roots);
    const found = await onSource(() => lstat(real));
    if (found.isDirectory()) await walk({ folder: real, below: path, depth: depth + 1 }, into);
    else if (found.isFile()) into.files.push(await toSourceFile(real, path));
    else throw notRegular(path);
    if (into.files.length > into.maxFiles) throw tooManyFiles(into.maxFiles);
  }
}

async function resolveEntry(location: string, path: string, roots: readonly string[]): Promise<string> {
  const found = await onSource(() => lstat(location));
  if (!found.isSymbolicLink()) return location;
  const real = await realpath(location).catch(() => undefined);
  if (real === undefined || !isInside(real, roots)) throw notRegular(path);
  return real;
}

async function toSourceFile(location: string, path: string): Promise<SourceFile> {
  const listed = await onSource(() => stat(location, { bigint: true }));
  const version = toVersion(listed);
  return {
    path,
    sizeBytes: Number(listed.size),
    version,
    open: async ({ offset }) => {
      const body = readFrom({ location, path, version, sizeBytes: Number(listed.size) }, offset);
      return { offset, etag: version, body, discard: () => void body.return(undefined) };
    },
  };
}

const toVersion = ({ dev, ino, size, mtimeNs }: BigIntStats): string => `${dev}-${ino}-${size}-${mtimeNs}`;

interface ListedFile {
  readonly location: string;
  readonly path: string;
  readonly version: string;
  readonly sizeBytes: number;
}

async function* readFrom(file: ListedFile, offset: number): AsyncGenerator<Uint8Array, void, undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await onSource(() => open(file.location, flags));
  const check = async () => {
    const found = await handle.stat({ bigint: true });
    if (!found.isFile()) throw notRegular(file.path);
    if (toVersion(found) === file.version) return;
    throw new AppError("CACHE_SOURCE_CHANGED", { detail: `${shown(file.path)} was written to or replaced.` });
  };
  try {
    await check();
    for (let at = offset; at < file.sizeBytes;) {
      const length = Math.min(blockBytes, file.sizeBytes - at);
      const { bytesRead, buffer } = await onSource(() => handle.read(Buffer.allocUnsafeSlow(length), 0, length, at));
      if (bytesRead === 0) break;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    await check();
  } finally {
    await handle.close();
  }
}

async function onSource<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (isMissing(error)) throw new AppError("CACHE_SOURCE_CHANGED", { detail: "A file of it is gone." }, error);
    throw new AppError("CACHE_SOURCE_DENIED", { detail: "The agent may not read a file or folder of it." }, error);
  }
}

function notRegular(path: string): AppError {
  return new AppError("CACHE_FILE_NOT_REGULAR", { detail: `It is ${shown(path)}.` });
}
