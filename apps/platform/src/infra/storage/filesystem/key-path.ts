import { join } from "node:path";

/** Ends the file name of an object, so that the object `a` and the folder of `a/b` can lie side by side. */
const objectSuffix = ".object";

/**
 * Where an object lies below the store's folder. Of a segment only `a-z 0-9 _ -` stay as they are; every other byte is
 * written `%XX`. So no key can leave the folder or be a reserved name, and keys that differ only in case stay two
 * where the file system does not tell case apart.
 */
export function toObjectPath(folder: string, key: string): string {
  const segments = key.split("/").map(encodeSegment);
  return join(folder, ...segments.slice(0, -1), `${segments.at(-1)}${objectSuffix}`);
}

export type KeyPart = { readonly kind: "object" | "folder"; readonly segment: string };

/** What a name in a folder of the store stands for; undefined for a file that the store did not write. */
export function parseEntryName(name: string, isFolder: boolean): KeyPart | undefined {
  const isObject = name.endsWith(objectSuffix);
  if (isObject === isFolder) return undefined;
  const encoded = isObject ? name.slice(0, -objectSuffix.length) : name;
  const segment = decodeSegment(encoded);
  return segment === undefined ? undefined : { kind: isObject ? "object" : "folder", segment };
}

function encodeSegment(segment: string): string {
  return Array.from(Buffer.from(segment), (byte) => {
    const char = String.fromCharCode(byte);
    return /[a-z0-9_-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

function decodeSegment(encoded: string): string | undefined {
  if (!/^(?:[a-z0-9_-]|%[0-9A-F]{2})+$/.test(encoded)) return undefined;
  try {
    const segment = decodeURIComponent(encoded);
    return encodeSegment(segment) === encoded ? segment : undefined;
  } catch {
    return undefined;
  }
}
