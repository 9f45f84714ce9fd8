import { type FileHandle, open, rename } from "node:fs/promises";
import { type Readable, Writable } from "node:stream";
import { cleanLogLine, splitLog } from "../process/read-log-tail.ts";

/** Bytes of one log file; the one before it is kept beside it as `.1`. */
const maxFileBytes = 16 * 1024 * 1024;
/** Enough for 200 lines that say something. */
const tailBytes = 256 * 1024;

/**
 * What an engine writes while it lives: a file that a flood cannot fill the disk with, and the end of it in memory, which is
 * there also when the disk is full.
 */
export interface EngineLog {
  /** Takes all that the stream gives. */
  follow(stream: Readable): void;
  /** A line of the agent's own. */
  note(line: string): void;
  /** The last lines, as people may read them: without escape sequences, secrets masked. */
  tail(lines: number): readonly string[];
  /** Resolves when what was taken has been written. */
  close(): Promise<void>;
}

export function createEngineLog(path: string): EngineLog {
  let tail: Buffer = Buffer.alloc(0);
  const file = createRotatingFile(path);
  const remember = (chunk: Buffer): void => {
    const fresh = chunk.subarray(Math.max(0, chunk.length - tailBytes));
    const old = tail.subarray(Math.max(0, tail.length + fresh.length - tailBytes));
    tail = Buffer.concat([old, fresh]);
  };
  const sink = new Writable({
    highWaterMark: 256 * 1024,
    write: (chunk: Buffer, _, done) => {
      remember(chunk);
      void file.append(chunk).then(() => done());
    },
  });
  return {
    follow: (stream) => {
      // Several streams may come here at once.
      sink.setMaxListeners(sink.getMaxListeners() + 5);
      stream.pipe(sink, { end: false });
    },
    note: (line) => void sink.write(`attune: ${line}\n`),
    tail: (lines) =>
      splitLog(tail)
        .slice(-lines)
        .map((line) => cleanLogLine(line)),
    close: async () => {
      await new Promise<void>((resolve) => sink.end(resolve));
      await file.close();
    },
  };
}

interface RotatingFile {
  append(chunk: Buffer): Promise<void>;
  close(): Promise<void>;
}

// A log that cannot be written must not end the engine; its last lines are in memory.
function createRotatingFile(path: string): RotatingFile {
  let handle: FileHandle | undefined;
  let size = 0;
  let hasFailed = false;
  const reopen = async (): Promise<FileHandle> => {
    await handle?.close();
    if (handle !== undefined) await rename(path, `${path}.1`);
    size = 0;
    handle = await open(path, "w", 0o600);
    return handle;
  };
  return {
    append: async (chunk) => {
      if (hasFailed) return;
      try {
        const target = handle === undefined || size >= maxFileBytes ? await reopen() : handle;
        await target.appendFile(chunk);
        size += chunk.length;
      } catch {
        hasFailed = true;
      }
    },
    close: async () => {
      await handle?.close().catch(() => undefined);
    },
  };
}
