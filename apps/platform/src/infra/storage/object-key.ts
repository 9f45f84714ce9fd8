import { AppError } from "@attune/service-kit/app-error.ts";

/** UTF-8 bytes; S3 takes 1,024, of which some are left for the folder that the bucket gives Attune. */
const maxKeyBytes = 900;
/** UTF-8 bytes between two slashes; escaped, they must fit into a file name of 255 bytes. */
const maxSegmentBytes = 80;

/**
 * Keys are segments between slashes, as `tenants/4f…/datasets/9c…`. All stores take the same ones: what one of them could
 * mistake for a path, for another key or for no key at all is refused.
 * @throws AppError `STORAGE_KEY_INVALID`.
 */
export function assertObjectKey(key: string): void {
  const fault = findKeyFault(key);
  if (fault !== undefined) throw new AppError("STORAGE_KEY_INVALID", { detail: fault });
}

function findKeyFault(key: string): string | undefined {
  if (key === "") return "It is empty.";
  if (!key.isWellFormed()) return "It is not well-formed Unicode.";
  // Some file systems hold the two spellings of an accented letter to be one name.
  if (key !== key.normalize("NFC")) return "It is not in Unicode normalisation form C.";
  if (/[\p{Cc}\p{Noncharacter_Code_Point}\\]/u.test(key)) return "It holds a control character or a backslash.";
  if (Buffer.byteLength(key) > maxKeyBytes) return `It is longer than ${maxKeyBytes} bytes.`;
  return key.split("/").map(findSegmentFault).find(Boolean);
}

function findSegmentFault(segment: string): string | undefined {
  if (segment === "") return "It begins or ends with a slash, or has two in a row.";
  if (segment === "." || segment === "..") return "It has a segment of dots.";
  if (Buffer.byteLength(segment) > maxSegmentBytes) return `It has a segment of more than ${maxSegmentBytes} bytes.`;
  return undefined;
}

/** The order of keys, which is that of their bytes in UTF-8, not that of JavaScript's strings. */
export function compareKeys(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
