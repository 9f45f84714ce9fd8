import { randomBytes } from "node:crypto";
import { open, readdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";

export interface StorageReading {
  readonly checkedAt: Date;
  /** To write, bring to the disk, read back and remove a small file, in milliseconds. */
  readonly latencyMs: number;
  readonly totalBytes: number;
  /** What a process without special rights may still write. */
  readonly freeBytes: number;
  /** Null where the file system has no fixed number. */
  readonly totalInodes: number | null;
  readonly freeInodes: number | null;
}

const prefix = ".probe-";
const contentBytes = 4096;

/** Writes a small file into the folder, brings it to the disk, reads it back and removes it. @throws when any of it fails. */
export async function probeStorage(folder: string): Promise<StorageReading> {
  const checkedAt = new Date();
  await removeLeftovers(folder);
  const startMs = performance.now();
  const path = join(folder, `${prefix}${randomBytes(8).toString("hex")}`);
  const content = randomBytes(contentBytes);
  try {
    await writeAndRead(path, content);
  } finally {
    await rm(path, { force: true });
  }
  const latencyMs = performance.now() - startMs;
  const { bsize, blocks, bavail, files, ffree } = await statfs(folder);
  return {
    checkedAt,
    latencyMs: Math.round(latencyMs * 10) / 10,
    totalBytes: bsize * blocks,
    freeBytes: bsize * bavail,
    totalInodes: files === 0 ? null : files,
    freeInodes: files === 0 ? null : ffree,
  };
}

async function writeAndRead(path: string, content: Buffer): Promise<void> {
  await using file = await open(path, "wx+", 0o600);
  await file.writeFile(content);
  await file.sync();
  const read = Buffer.alloc(contentBytes);
  const { bytesRead } = await file.read(read, 0, contentBytes, 0);
  if (bytesRead !== contentBytes || !read.equals(content))
    throw new Error("What was written is not what is read back.");
}

/** What a probe left that was killed; one agent at a time works on the folder, and one probe at a time in it. */
async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((one) => one.startsWith(prefix))) await rm(join(folder, name), { force: true });
}
