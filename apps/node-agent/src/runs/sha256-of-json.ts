import { createHash } from "node:crypto";

/** SHA-256 of a JSON value, in hexadecimal, whatever the order of the keys in its objects. */
export const sha256OfJson = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value, sortKeys)).digest("hex");

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
