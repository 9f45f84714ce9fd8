import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

/** Larger files are not hashed for a reader: that would take seconds each time. */
export const maxHashedBytes = 256 * 1024 * 1024;
const blockBytes = 256 * 1024;
const maxKnown = 1000;

/** Tells two states of a file apart: another file, or another size or time of change. */
export const toVersion = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  createHash("sha256").update(`${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`).digest("hex").slice(0, 32);

export interface WholeFileHashes {
  /** The sha256 of the first `stats.size` bytes; undefined when it is too large or ends before. */
  find(handle: FileHandle, stats: BigIntStats, signal: AbortSignal): Promise<string | undefined>;
  /** What is known is right for as long as the file is as it was. */
  remember(stats: BigIntStats, sha256: string): void;
}

/** Hashes each state of a file once. */
export function createWholeFileHashes(): WholeFileHashes {
  const known = new Map<string, string>();
  return {
    find: async (handle, stats, signal) => known.get(toVersion(stats)) ?? hashAll(handle, stats, signal),
    remember: (stats, sha256) => {
      known.set(toVersion(stats), sha256);
      const [oldest] = known.keys();
      if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
    },
  };
}

async function hashAll(handle: FileHandle, { size }: BigIntStats, signal: AbortSignal): Promise<string | undefined> {
  if (size > BigInt(maxHashedBytes)) return undefined;
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(blockBytes);
  for (let at = 0; at < Number(size);) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(blockBytes, Number(size) - at), at);
    signal.throwIfAborted();
    if (bytesRead === 0) return undefined;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest("hex");
}
