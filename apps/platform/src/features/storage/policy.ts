import type { StoragePolicy } from "../../infra/storage/storage-settings.ts";

/** Whether files of this type may lie in the database, if they are small enough. */
export function mayLieInline({ inlineMaxBytes, inlineMediaTypes }: StoragePolicy, mediaType: string): boolean {
  const [given = ""] = mediaType.toLowerCase().split(";");
  const [type, subtype] = given.trim().split("/");
  return (
    inlineMaxBytes > 0 &&
    inlineMediaTypes.some((allowed) => {
      const [allowedType, allowedSubtype] = allowed.split("/");
      return isAnyOr(allowedType, type) && isAnyOr(allowedSubtype, subtype);
    })
  );
}

const isAnyOr = (allowed: string | undefined, given: string | undefined): boolean =>
  allowed === "*" || allowed === given;
