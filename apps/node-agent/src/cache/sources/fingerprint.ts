import { createHash } from "node:crypto";

/** A hash of what a request wants; objects must have their keys in a fixed order. */
export const fingerprint = (wanted: unknown): string =>
  createHash("sha256").update(JSON.stringify(wanted)).digest("hex");
