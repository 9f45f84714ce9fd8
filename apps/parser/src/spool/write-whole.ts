import type { FileHandle } from "node:fs/promises";
import { AppError } from "@attune/service-kit/app-error.ts";

/**
 * Writes all of the bytes: on a nearly full disk a write may take fewer than asked and report no error.
 * @throws AppError `STORAGE_FULL`
 */
export async function writeWhole(handle: FileHandle | undefined, bytes: Uint8Array): Promise<void> {
  if (handle === undefined) throw new TypeError("no file is open");
  let offset = 0;
  while (offset < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, offset, bytes.length - offset).catch(toStorageError);
    if (bytesWritten === 0) throw new AppError("STORAGE_FULL");
    offset += bytesWritten;
  }
}

/** Throws `STORAGE_FULL` for an error that says so, any other error as it is. */
export function toStorageError(error: unknown): never {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const isFull = code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
  throw isFull ? new AppError("STORAGE_FULL", {}, error) : error;
}
