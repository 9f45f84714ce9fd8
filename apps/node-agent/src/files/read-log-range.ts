import type { FileHandle } from "node:fs/promises";
import { maskBytes } from "../process/mask-secrets.ts";
import { type Range, readRange } from "./read-range.ts";

/** What is read on either side of a range, so that a secret which its edge cuts is known; no secret is longer. */
const contextBytes = 64 * 1024;

/** The bytes of a range of a log, with asterisks for what looks like a secret, byte for byte. */
export async function readLogRange(handle: FileHandle, { offset, length }: Range): Promise<Buffer> {
  const before = Math.min(contextBytes, offset);
  const bytes = await readRange(handle, { offset: offset - before, length: before + length + contextBytes });
  return maskBytes(bytes).subarray(before, before + length);
}
