import { AppError } from "../app-error.ts";

/** What the file system said. */
export interface DiskFault {
  /** Such as `ENOSPC`. */
  readonly code: string;
  /** Whether what was written has no room: a full disk, a quota, a limit of file sizes. */
  readonly isFull: boolean;
  /** A public sentence about it. */
  readonly detail: string;
  /** As it was thrown. */
  readonly cause: unknown;
}

export interface DiskErrors {
  /** The error that a failure of the file system becomes; everything else as it is. */
  readonly toError: (thrown: unknown) => unknown;
  /** Does one thing on the disk. @throws AppError where the file system fails, and whatever else the work throws */
  readonly onDisk: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Gives failures of the file system the reasons of one part of a service; what the system said stays in the cause. */
export function mapDiskErrors(toAppError: (fault: DiskFault) => AppError): DiskErrors {
  const toError = (thrown: unknown): unknown => {
    const code = codeOf(thrown);
    if (code === undefined || thrown instanceof AppError) return thrown;
    const detail = details[code] ?? `The file system says ${code}.`;
    return toAppError({ code, isFull: fullCodes.has(code), detail, cause: thrown });
  };
  return {
    toError,
    onDisk: async (work) => {
      try {
        return await work();
      } catch (error) {
        throw toError(error);
      }
    },
  };
}

/** The code of what a call of the system threw, such as `ENOENT`; undefined for everything else. */
export function codeOf(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** Whether nothing lies at a path. */
export function isMissing(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}

const fullCodes = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

const details: Readonly<Record<string, string>> = {
  ENOSPC: "Nothing more can be written to it.",
  EDQUOT: "The quota of the service's user is used up.",
  EFBIG: "A file may not become as large, by a limit of the process or of the file system.",
  ENOENT: "A folder of it is gone; the volume may not be mounted.",
  ENOTDIR: "A file lies where a folder should be.",
  EROFS: "The file system is read-only.",
  EACCES: "The service may not write there.",
  EPERM: "The service may not write there.",
  EIO: "The disk does not work.",
  EMFILE: "Too many files are open.",
  ENFILE: "Too many files are open.",
};
