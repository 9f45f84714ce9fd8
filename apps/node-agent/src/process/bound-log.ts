import { execFile } from "node:child_process";
import { open, type FileHandle } from "node:fs/promises";

/** What is kept of a log that grew beyond its bound: so much of its beginning, and so much of its end. */
export interface LogBound {
  readonly maxBytes: number;
  readonly headBytes: number;
  readonly tailBytes: number;
}

export const defaultLogBound: LogBound = { maxBytes: 64 * 2 ** 20, headBytes: 2 ** 20, tailBytes: 8 * 2 ** 20 };

const blockBytes = 4096;

/** Keeps the space that a log takes on the disk within a bound while others go on appending to it. */
export interface LogBounder {
  /** Looks at the log now. Never throws: a log that cannot be bounded goes on as it is. */
  check(): Promise<void>;
}

/**
 * The middle of a log that grew too long gives its space back (a hole, which reads as zeros), without a byte of its end being
 * lost or the writer being stopped; a line tells how much was left out. Where the file system knows no holes, the log begins
 * anew with the line and its end, and what was written in that instant is lost.
 */
export function createLogBounder(path: string, bound: LogBound = defaultLogBound, punch = punchHole): LogBounder {
  let holeEnd = bound.headBytes;
  let isLooking = false;
  const shorten = async (file: FileHandle) => {
    const { size } = await file.stat();
    if (size < holeEnd) holeEnd = bound.headBytes;
    if (size - holeEnd + bound.headBytes <= bound.maxBytes) return;
    const end = Math.floor((size - bound.tailBytes) / blockBytes) * blockBytes;
    if (await punch(path, bound.headBytes, end)) {
      holeEnd = end;
      await tellGap(file, bound.headBytes, end - bound.headBytes);
    } else await keepEnd(file, path, bound.tailBytes);
  };
  return {
    check: async () => {
      if (isLooking) return;
      isLooking = true;
      const file = await open(path, "r+").catch(() => undefined);
      // What fails is tried again at the next look.
      if (file !== undefined) await shorten(file).catch(() => undefined);
      await file?.close().catch(() => undefined);
      isLooking = false;
    },
  };
}

const gapLine = (bytes: number): string =>
  `\n[${bytes} bytes of this log were left out here, because it grew too long]\n`;

/** The line stands at the beginning of the hole, where nobody writes. */
async function tellGap(file: FileHandle, offset: number, bytes: number): Promise<void> {
  await file.write(gapLine(bytes), offset);
}

/** Frees the space from one offset to another; both are multiples of the block. @returns whether it could. */
export function punchHole(path: string, start: number, end: number): Promise<boolean> {
  const args = ["--punch-hole", "--offset", String(start), "--length", String(end - start), path];
  return new Promise((resolve) => {
    execFile("fallocate", args, { timeout: 10_000 }, (error) => {
      resolve(error === null);
    });
  });
}

async function keepEnd(file: FileHandle, path: string, tailBytes: number): Promise<void> {
  const { size } = await file.stat();
  const end = Buffer.alloc(Math.min(size, tailBytes));
  const { bytesRead } = await file.read(end, 0, end.length, size - end.length);
  await file.truncate(0);
  const appender = await open(path, "a");
  try {
    await appender.write(Buffer.concat([Buffer.from(gapLine(size - bytesRead)), end.subarray(0, bytesRead)]));
  } finally {
    await appender.close();
  }
}
