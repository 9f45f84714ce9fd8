import { randomUUID } from "node:crypto";
import { constants, copyFile, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectDigest } from "../object-store.ts";
import type { BodyReader } from "../read-body.ts";
import { onDisk } from "./to-filesystem-error.ts";

/** A file that is on the disk, durable, and has no name that anybody reads. */
export interface TemporaryFile<T> {
  readonly path: string;
  readonly content: T;
}

export interface TemporaryFiles {
  /** Writes a body; the file is gone again when that fails. */
  write<T>(reader: BodyReader, use: (file: TemporaryFile<ObjectDigest>) => Promise<T>): Promise<T>;
  copy<T>(sourcePath: string, use: (file: TemporaryFile<undefined>) => Promise<T>): Promise<T>;
  /** Whether this process is writing it. */
  isInUse(path: string): boolean;
}

/** `use` moves the file to where it belongs; what it leaves is removed. */
export function createTemporaryFiles(folder: string, crashPoint: CrashPoint): TemporaryFiles {
  const inUse = new Set<string>();
  const withPath = async <T>(work: (path: string) => Promise<T>): Promise<T> => {
    const path = join(folder, randomUUID());
    inUse.add(path);
    try {
      return await work(path);
    } finally {
      await rm(path, { force: true }).catch(() => {});
      inUse.delete(path);
    }
  };
  return {
    write: (reader, use) => withPath(async (path) => use({ path, content: await writeFile(path, reader, crashPoint) })),
    copy: (sourcePath, use) =>
      withPath(async (path) => {
        await copyFile(sourcePath, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
        await onDisk(() => syncFile(path));
        return use({ path, content: undefined });
      }),
    isInUse: (path) => inUse.has(path),
  };
}

type CrashPoint = (name: string) => Promise<void>;

async function writeFile(path: string, reader: BodyReader, crashPoint: CrashPoint): Promise<ObjectDigest> {
  const handle = await onDisk(() => open(path, "wx", 0o600));
  try {
    for await (const chunk of reader.chunks) await onDisk(() => handle.writeFile(chunk));
    const digest = reader.finish();
    await crashPoint("file: written");
    await onDisk(() => handle.sync());
    await crashPoint("file: safe");
    return digest;
  } finally {
    await onDisk(() => handle.close());
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
