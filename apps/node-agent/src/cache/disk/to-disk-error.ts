import { AppError } from "@attune/service-kit/app-error.ts";
import { mapDiskErrors } from "@attune/service-kit/disk/map-disk-errors.ts";

/** Failures of the disk of the cache. */
export const { toError: toDiskError, onDisk } = mapDiskErrors(
  ({ isFull, detail, cause }) => new AppError(isFull ? "CACHE_DISK_FULL" : "CACHE_DISK_FAILED", { detail }, cause),
);
