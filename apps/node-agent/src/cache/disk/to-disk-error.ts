import { AppError } from "@attune/service-kit/app-error.ts";

/** Does one thing on the disk of the cache; its failure becomes a reason, and what the system said stays in the cause. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toDiskError(error);
  }
}

export function toDiskError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined || error instanceof AppError) return error;
  if (fullCodes.has(code)) return new AppError("CACHE_DISK_FULL", { detail: fullDetails[code] ?? "" }, error);
  return new AppError("CACHE_DISK_FAILED", { detail: details[code] ?? `The file system says ${code}.` }, error);
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
const fullDetails: Readonly<Record<string, string>> = {
  ENOSPC: "Nothing more can be written to it.",
  EDQUOT: "The quota of the agent's user is used up.",
  EFBIG: "A file may not become as large, by a limit of the process or of the file system.",
};
const details: Readonly<Record<string, string>> = {
  ENOENT: "A folder of it is gone; the volume may not be mounted.",
  EROFS: "The file system is read-only.",
  EACCES: "The agent may not write there.",
  EPERM: "The agent may not write there.",
  EIO: "The disk does not work.",
  EMFILE: "Too many files are open.",
  ENFILE: "Too many files are open.",
};
