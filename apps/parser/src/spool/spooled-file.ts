import { readFile } from "node:fs/promises";
import type { SpoolFolder } from "./spool-folder.ts";
import type { SpooledFile } from "./spool.ts";
import { writeWhole } from "./write-whole.ts";

/** A file that lies in memory; it gets a path when one is asked for. */
export function spoolBytes(bytes: Uint8Array, folder: SpoolFolder): SpooledFile {
  let path: Promise<string> | undefined;
  let isDisposed = false;
  return {
    sizeBytes: bytes.length,
    readBytes: async () => {
      assertAlive(isDisposed);
      return Promise.resolve(bytes);
    },
    toPath: async () => {
      assertAlive(isDisposed);
      path ??= writeOut(bytes, folder);
      return path;
    },
    [Symbol.asyncDispose]: async () => {
      isDisposed = true;
      const written = await path?.catch(() => undefined);
      if (written !== undefined) await folder.remove(written);
    },
  };
}

/** A file that lies in the folder. */
export function spoolFile(path: string, sizeBytes: number, folder: SpoolFolder): SpooledFile {
  let isDisposed = false;
  return {
    sizeBytes,
    readBytes: async () => {
      assertAlive(isDisposed);
      return readFile(path);
    },
    toPath: async () => {
      assertAlive(isDisposed);
      return Promise.resolve(path);
    },
    [Symbol.asyncDispose]: async () => {
      isDisposed = true;
      await folder.remove(path);
    },
  };
}

async function writeOut(bytes: Uint8Array, folder: SpoolFolder): Promise<string> {
  const { handle, path } = await folder.createFile();
  try {
    await writeWhole(handle, bytes);
    return path;
  } catch (error) {
    await folder.remove(path);
    throw error;
  } finally {
    await handle.close();
  }
}

function assertAlive(isDisposed: boolean): void {
  if (isDisposed) throw new TypeError("the spooled file is disposed");
}
