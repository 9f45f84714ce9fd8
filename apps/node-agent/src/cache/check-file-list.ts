import { AppError } from "@attune/service-kit/app-error.ts";

interface ListedFile {
  readonly path: string;
  readonly sizeBytes: number;
}

interface ListLimits {
  readonly maxFiles: number;
  readonly maxEntryBytes: number;
}

const maxPathBytes = 1024;
const maxNameBytes = 255;
const maxDepth = 32;

/**
 * Checks the paths and sizes of all files of an entry, before any of them is fetched. Paths are the same when they differ in
 * case or in Unicode form only, so that an entry is the same on every file system.
 * @throws AppError `CACHE_EMPTY`, `CACHE_TOO_MANY_FILES`, `CACHE_TOO_LARGE`, `CACHE_PATH_UNSAFE`, `CACHE_PATHS_COLLIDE`.
 */
export function checkFileList(files: readonly ListedFile[], limits: ListLimits): void {
  if (files.length === 0) throw new AppError("CACHE_EMPTY");
  if (files.length > limits.maxFiles) throw tooManyFiles(limits.maxFiles);
  for (const { path } of files) checkPath(path);
  checkCollisions(files.map(({ path }) => path));
  checkSizes(files, limits);
}

export function tooManyFiles(maxFiles: number): AppError {
  return new AppError("CACHE_TOO_MANY_FILES", { detail: `It has more than ${maxFiles}.` });
}

/** @throws AppError `CACHE_PATH_UNSAFE` */
export function checkPath(path: string): void {
  const fault = findPathFault(path);
  if (fault !== undefined) throw new AppError("CACHE_PATH_UNSAFE", { detail: `${shown(path)} ${fault}.` });
}

/** What is wrong with a path; undefined: it may be that of a file of an entry. */
export function findPathFault(path: string): string | undefined {
  if (path === "") return "is empty";
  if (Buffer.byteLength(path) > maxPathBytes) return `has more than ${maxPathBytes} bytes`;
  if (!path.isWellFormed()) return "is not well-formed Unicode";
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return "has control characters";
  if (path.includes("\\")) return "has a backslash";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is absolute";
  const names = path.split("/");
  if (names.length > maxDepth) return `lies more than ${maxDepth} folders deep`;
  return names.map(findNameFault).find((fault) => fault !== undefined);
}

function findNameFault(name: string): string | undefined {
  if (name === "") return "has an empty name in it";
  if (name === "." || name === "..") return `leads through \`${name}\``;
  if (Buffer.byteLength(name) > maxNameBytes) return `has a name of more than ${maxNameBytes} bytes`;
  return undefined;
}

function checkCollisions(paths: readonly string[]): void {
  const files = new Map<string, string>();
  for (const path of paths) {
    const other = files.get(comparable(path));
    if (other !== undefined) throw collision(other, path);
    files.set(comparable(path), path);
  }
  for (const path of paths) {
    const names = comparable(path).split("/");
    for (let depth = 1; depth < names.length; depth++) {
      const asFile = files.get(names.slice(0, depth).join("/"));
      if (asFile !== undefined) throw collision(asFile, path);
    }
  }
}

// Upper case first: some letters, such as `ß` and the Greek final sigma, are only alike after both.
const comparable = (path: string): string => path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");

function collision(first: string, second: string): AppError {
  return new AppError("CACHE_PATHS_COLLIDE", { detail: `They are ${shown(first)} and ${shown(second)}.` });
}

function checkSizes(files: readonly ListedFile[], { maxEntryBytes }: ListLimits): void {
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (totalBytes <= maxEntryBytes) return;
  throw new AppError("CACHE_TOO_LARGE", { detail: `It has ${totalBytes} bytes, of at most ${maxEntryBytes}.` });
}

/** A path as it may stand in a message. */
export function shown(path: string): string {
  const plain = path.toWellFormed().replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, "\ufffd");
  return `\`${plain.length > 200 ? `${plain.slice(0, 200)}…` : plain}\``;
}
