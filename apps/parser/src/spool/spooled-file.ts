import { readSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { freeMemory } from "@attune/service-kit/free-memory.ts";
import { OwnedBytes } from "./owned-bytes.ts";
import type { SpoolFolder } from "./spool-folder.ts";
import type { SpooledAccess, SpooledFile } from "./spool.ts";
import { writeWhole } from "./write-whole.ts";

const chunkBytes = 256 << 10;
/** Node reads no more at once into one buffer. */
const maxBufferBytes = 2 ** 31 - 1;

/** A file that lies in memory, whose memory it takes over; it gets a path when one is asked for. */
export function spoolBytes(bytes: Uint8Array, folder: SpoolFolder): SpooledFile {
  const owned = new OwnedBytes(bytes);
  let path: Promise<string> | undefined;
  return {
    sizeBytes: bytes.length,
    readBytes: async () => Promise.resolve(owned.share()),
    readChunks: () => readOwned(owned),
    openForAccess: async () => Promise.resolve(accessOwned(owned)),
    toPath: async () => {
      owned.assertAlive();
      path ??= writeOut(owned, folder);
      return path;
    },
    [Symbol.asyncDispose]: async () => {
      owned.release();
      const written = await path?.catch(() => undefined);
      if (written !== undefined) await folder.remove(written);
    },
  };
}

async function* readOwned(owned: OwnedBytes): AsyncGenerator<Uint8Array> {
  using lent = owned.lend();
  yield await Promise.resolve(lent.bytes);
}

function accessOwned(owned: OwnedBytes): SpooledAccess {
  const { bytes, [Symbol.dispose]: giveBack } = owned.lend();
  return {
    sizeBytes: bytes.length,
    readAt: (offset, length) => bytes.subarray(offset, offset + length),
    [Symbol.asyncDispose]: async () => Promise.resolve(giveBack()),
  };
}

/** A file that lies in the folder. */
export function spoolFile(path: string, sizeBytes: number, folder: SpoolFolder): SpooledFile {
  let isDisposed = false;
  const assertAlive = (): void => {
    if (isDisposed) throw new TypeError("the spooled file is disposed");
  };
  return {
    sizeBytes,
    readBytes: async () => {
      assertAlive();
      if (sizeBytes > maxBufferBytes) throw tooLarge(sizeBytes);
      return readFile(path);
    },
    readChunks: () => {
      assertAlive();
      return readFileChunks(path);
    },
    openForAccess: async () => {
      assertAlive();
      return accessFile(path, sizeBytes);
    },
    toPath: async () => {
      assertAlive();
      return Promise.resolve(path);
    },
    [Symbol.asyncDispose]: async () => {
      isDisposed = true;
      await folder.remove(path);
    },
  };
}

async function* readFileChunks(path: string): AsyncGenerator<Uint8Array> {
  await using handle = await open(path);
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  try {
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    freeMemory(buffer);
  }
}

async function accessFile(path: string, sizeBytes: number): Promise<SpooledAccess> {
  const handle = await open(path);
  return {
    sizeBytes,
    readAt: (offset, length) => {
      const target = Buffer.allocUnsafeSlow(Math.max(0, Math.min(length, sizeBytes - offset)));
      return target.subarray(0, readFully(handle.fd, target, offset));
    },
    [Symbol.asyncDispose]: async () => handle.close(),
  };
}

function readFully(descriptor: number, target: Buffer, offset: number): number {
  let filled = 0;
  while (filled < target.length) {
    const count = readSync(descriptor, target, filled, target.length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

function tooLarge(sizeBytes: number): AppError {
  const detail = `It has ${sizeBytes} bytes, and what wants a file as a whole takes up to ${maxBufferBytes}.`;
  return new AppError("FILE_TOO_LARGE", { detail });
}

async function writeOut(owned: OwnedBytes, folder: SpoolFolder): Promise<string> {
  using lent = owned.lend();
  const { handle, path } = await folder.createFile();
  try {
    await writeWhole(handle, lent.bytes);
    return path;
  } catch (error) {
    await folder.remove(path);
    throw error;
  } finally {
    await handle.close();
  }
}
