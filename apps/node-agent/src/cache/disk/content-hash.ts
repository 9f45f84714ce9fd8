import { createHash, type Hash } from "node:crypto";
import { constants, type FileHandle, open } from "node:fs/promises";

/** What the bytes of a file were said to hash to; of a hub's small files only the name of their git object is known. */
export interface ExpectedHash {
  readonly sha256?: string | undefined;
  /** SHA-1 of `blob SIZE\0` and the bytes. */
  readonly gitOid?: string | undefined;
}

export interface ContentHash {
  readonly update: (chunk: Uint8Array) => void;
  digest(): { readonly sha256: string; readonly gitOid: string | undefined };
}

export function createContentHash(sizeBytes: number, expected: ExpectedHash): ContentHash {
  const sha256 = createHash("sha256");
  const git: Hash | undefined =
    expected.gitOid === undefined ? undefined : createHash("sha1").update(`blob ${sizeBytes}\0`);
  return {
    update: (chunk) => {
      sha256.update(chunk);
      git?.update(chunk);
    },
    digest: () => ({ sha256: sha256.digest("hex"), gitOid: git?.digest("hex") }),
  };
}

/** What does not fit, as a sentence; undefined: all that was said fits. */
export function findHashFault(found: ReturnType<ContentHash["digest"]>, expected: ExpectedHash): string | undefined {
  if (expected.sha256 !== undefined && expected.sha256 !== found.sha256) {
    return `Its sha256 is ${found.sha256} instead of ${expected.sha256}.`;
  }
  if (expected.gitOid !== undefined && expected.gitOid !== found.gitOid) {
    return `Its git object is ${found.gitOid} instead of ${expected.gitOid}.`;
  }
  return undefined;
}

/** So many bytes are hashed at a stretch: about a millisecond, in which the agent does nothing else. */
const blockBytes = 512 * 1024;

/**
 * Reads a file from its beginning, one block ahead of `use`. Links are not followed.
 * @throws what the system says; the reason of `signal`.
 */
export async function readBlocks(
  path: string,
  use: (block: Uint8Array) => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    await pumpBlocks(handle, use, signal);
  } finally {
    await handle.close();
  }
}

/** As `readBlocks`, from an open file. */
export async function pumpBlocks(
  handle: FileHandle,
  use: (block: Uint8Array) => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const buffers = [Buffer.allocUnsafe(blockBytes), Buffer.allocUnsafe(blockBytes)] as const;
  let at = 0;
  let reading = handle.read(buffers[0], 0, blockBytes, at);
  for (let turn = 0; ; turn++) {
    const { bytesRead, buffer } = await reading;
    if (bytesRead === 0) return;
    signal.throwIfAborted();
    at += bytesRead;
    reading = handle.read(turn % 2 === 0 ? buffers[1] : buffers[0], 0, blockBytes, at);
    try {
      await use(buffer.subarray(0, bytesRead));
    } catch (error) {
      await reading.catch(() => {});
      throw error;
    }
  }
}
