import { constants, type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ByteRange, ObjectReading } from "../object-store.ts";
import { resolveRange, type Span } from "../resolve-range.ts";
import { toFilesystemError } from "./to-filesystem-error.ts";

const readBytes = 256 * 1024;

/** Opens the file of an object. It stays whole while it is read: another object of the same key is another file. */
export async function openObject(path: string, range?: ByteRange): Promise<ObjectReading> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size: sizeBytes } = await handle.stat();
    return { sizeBytes, stream: streamOf(handle, resolveRange(range, sizeBytes)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

// Not the handle's own stream, whose errors are those of the system.
function streamOf(handle: FileHandle, { start, end }: Span): Readable {
  let position = start;
  const readNext = async (): Promise<Buffer | null> => {
    if (position >= end) return null;
    const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, end - position));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) {
      throw new AppError("STORAGE_OBJECT_DAMAGED", { detail: "Its file became shorter while it was read." });
    }
    position += bytesRead;
    return buffer.subarray(0, bytesRead);
  };
  return new Readable({
    read() {
      readNext().then(
        (bytes) => this.push(bytes),
        (error: unknown) => this.destroy(toFilesystemError(error) as Error),
      );
    },
    destroy(error, done) {
      handle.close().then(
        () => done(error),
        () => done(error),
      );
    },
  });
}
