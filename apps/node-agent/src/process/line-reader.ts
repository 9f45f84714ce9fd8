import { type FileHandle, open, stat } from "node:fs/promises";
import { createLineCutter, type CutLine } from "./line-cutter.ts";

export interface LineSource {
  readonly path: string;
  /** Where to begin, in bytes; the beginning of a line. */
  readonly offset: number;
  /** Longer lines are cut; what is beyond is passed over and never held in memory. */
  readonly maxLineBytes: number;
}

/** Reads the whole lines that a growing file has so far. */
export interface LineReader {
  /** The next whole lines, from at most 256 KiB, and whether that was all there is. @throws Error of the system. */
  read(): Promise<{ readonly lines: readonly CutLine[]; readonly isAtEnd: boolean }>;
  /** What stands behind the last whole line; undefined when nothing does. Once the writer is gone, this is half a line. */
  readRest(): CutLine | undefined;
  close(): Promise<void>;
}

const chunkBytes = 256 * 1024;

/** A file that is not there yet has no lines; one that became shorter, or another one of the name, is read from its beginning. */
export function createLineReader({ path, offset, maxLineBytes }: LineSource): LineReader {
  let file: FileHandle | undefined;
  let position = offset;
  let cutter = createLineCutter(maxLineBytes);

  const close = async () => {
    await file?.close();
    file = undefined;
  };
  /** @returns whether the file is another one now, or shorter. */
  const restartIfReplaced = async (old: FileHandle): Promise<boolean> => {
    if (!(await isReplaced(old, path, position))) return false;
    await close();
    position = 0;
    cutter = createLineCutter(maxLineBytes);
    return true;
  };
  return {
    read: async () => {
      file ??= await openIfThere(path);
      if (file === undefined) return { lines: [], isAtEnd: true };
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
      if (bytesRead === 0) return { lines: [], isAtEnd: !(await restartIfReplaced(file)) };
      const lines = cutter.cut(chunk.subarray(0, bytesRead), position);
      position += bytesRead;
      return { lines, isAtEnd: false };
    },
    readRest: () => cutter.rest(position),
    close,
  };
}

const openIfThere = (path: string): Promise<FileHandle | undefined> =>
  open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

async function isReplaced(file: FileHandle, path: string, position: number): Promise<boolean> {
  const here = await file.stat();
  if (here.size < position) return true;
  const there = await stat(path).catch(() => undefined);
  return there !== undefined && there.ino !== here.ino;
}
