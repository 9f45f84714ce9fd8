import { AppError } from "@attune/service-kit/app-error.ts";
import type { CompleteOptions, ObjectDigest, ObjectStore } from "./object-store.ts";
import { readBody } from "./read-body.ts";

/**
 * What an upload that is no longer there became, when the caller can say what it was to become: its first answer was lost.
 * @throws `error` otherwise.
 */
export async function findCompleted(
  store: Pick<ObjectStore, "get">,
  { key, expected, signal }: CompleteOptions & { readonly key: string },
  error: unknown,
): Promise<ObjectDigest> {
  const isGone = error instanceof AppError && error.reason === "STORAGE_UPLOAD_NOT_FOUND";
  if (!isGone || expected?.sha256 === undefined) throw error;
  try {
    const { stream } = await store.get(key, { ...(signal && { signal }) });
    const reader = readBody(stream, expected, signal);
    for await (const _ of reader.chunks);
    return reader.finish();
  } catch (other) {
    const isOther = other instanceof AppError && otherObject.has(other.reason);
    throw isOther ? error : other;
  }
}

const otherObject = new Set(["STORAGE_OBJECT_NOT_FOUND", "STORAGE_CHECKSUM_MISMATCH"]);
