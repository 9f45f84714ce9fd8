import { AppError } from "@attune/service-kit/app-error.ts";

/** Does one thing on the disk; its failure becomes a reason, and what the system said stays in the cause. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFilesystemError(error);
  }
}

export function toFilesystemError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof AppError) return error;
  if (fullCodes.has(code)) return new AppError("STORAGE_FULL", {}, error);
  const detail = details[code] ?? `The file system says ${code}.`;
  return new AppError(deniedCodes.has(code) ? "STORAGE_DENIED" : "STORAGE_UNAVAILABLE", { detail }, error);
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** Whether nothing lies at a path. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

const fullCodes = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const deniedCodes = new Set(["EACCES", "EPERM"]);

const details: Readonly<Record<string, string>> = {
  ENOENT: "Its folder is gone; the volume may not be mounted.",
  ENOTDIR: "A file lies where a folder should be.",
  EROFS: "The file system is read-only.",
  EACCES: "The platform may not write to its folder.",
  EPERM: "The platform may not write to its folder.",
  EIO: "The disk does not work.",
  EMFILE: "Too many files are open.",
  ENFILE: "Too many files are open.",
};
