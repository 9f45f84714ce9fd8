import { AppError } from "@attune/service-kit/app-error.ts";
import { mapDiskErrors } from "@attune/service-kit/disk/map-disk-errors.ts";

/** Failures of the disk that the store is on. */
export const { toError: toFilesystemError, onDisk } = mapDiskErrors(({ code, isFull, detail, cause }) => {
  if (isFull) return new AppError("STORAGE_FULL", { detail }, cause);
  return new AppError(deniedCodes.has(code) ? "STORAGE_DENIED" : "STORAGE_UNAVAILABLE", { detail }, cause);
});

const deniedCodes = new Set(["EACCES", "EPERM"]);
