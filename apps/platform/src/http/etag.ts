import { AppError } from "@attune/service-kit/app-error.ts";

/** The ETag of a record's version: its number in quotes. */
export const etagOf = (version: number): string => `"${version}"`;

const maxVersion = 2 ** 31 - 1;

/**
 * The version that an edit was made on.
 * @throws AppError VERSION_REQUIRED without If-Match; VERSION_CONFLICT for what was never an ETag of ours.
 */
export function versionOf(ifMatch: string | undefined): number {
  if (ifMatch === undefined) throw new AppError("VERSION_REQUIRED");
  const version = /^(?:W\/)?"(\d{1,15})"$/.exec(ifMatch.trim())?.[1];
  // No record gets as far, and the column of the next version holds no more.
  if (version === undefined || Number(version) >= maxVersion) throw new AppError("VERSION_CONFLICT");
  return Number(version);
}
