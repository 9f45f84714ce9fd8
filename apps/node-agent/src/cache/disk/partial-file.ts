import { constants, type FileHandle, open } from "node:fs/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { type ContentHash, createContentHash, type ExpectedHash, pumpBlocks } from "./content-hash.ts";
import { onDisk } from "./to-disk-error.ts";

/** A file that is being received: what it has of its bytes is on the disk and in its hash. */
export interface PartialFile {
  /** Bytes that it has. */
  readonly offset: number;
  /** @throws AppError `CACHE_SIZE_MISMATCH` for a byte too many, `CACHE_DISK_FULL`, `CACHE_DISK_FAILED`. */
  append(chunk: Uint8Array): Promise<void>;
  /** Hands all that came to the system. */
  flush(): Promise<void>;
  /** As `flush`, after a failure: what cannot be written is fetched again another time. */
  keep(): Promise<void>;
  /** Forgets all that came. */
  restart(): Promise<void>;
  /** Makes it durable. */
  finish(): Promise<ReturnType<ContentHash["digest"]> & { readonly mtimeNs: string }>;
  close(): Promise<void>;
}

export interface ExpectedFile extends ExpectedHash {
  readonly sizeBytes: number;
}

const batchBytes = 1024 * 1024;

/** Opens what an attempt before has left, hashing it again, or begins the file. */
export async function openPartialFile(path: string, expected: ExpectedFile, signal: AbortSignal): Promise<PartialFile> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = await onDisk(() => open(path, flags, 0o600));
  try {
    const state = await onDisk(() => takeUp(handle, expected, signal));
    return toPartialFile(handle, expected, state);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface State {
  offset: number;
  hash: ContentHash;
  waiting: Uint8Array[];
  waitingBytes: number;
  /** The write under way. */
  writing: Promise<void>;
}

const freshState = (expected: ExpectedFile): State => ({
  offset: 0,
  hash: createContentHash(expected.sizeBytes, expected),
  waiting: [],
  waitingBytes: 0,
  writing: Promise.resolve(),
});

async function takeUp(handle: FileHandle, expected: ExpectedFile, signal: AbortSignal): Promise<State> {
  const state = freshState(expected);
  const { size } = await handle.stat();
  if (size > expected.sizeBytes) await handle.truncate(0);
  else {
    await pumpBlocks(
      handle,
      (block) => {
        state.hash.update(block);
        state.offset += block.length;
      },
      signal,
    );
  }
  return state;
}

function toPartialFile(handle: FileHandle, expected: ExpectedFile, state: State): PartialFile {
  const flush = async () => {
    await state.writing;
    await startWriting(handle, state);
  };
  return {
    get offset() {
      return state.offset;
    },
    append: async (chunk) => {
      if (state.offset + chunk.length > expected.sizeBytes) {
        throw new AppError("CACHE_SIZE_MISMATCH", { detail: `It has more than ${expected.sizeBytes} bytes.` });
      }
      state.hash.update(chunk);
      state.offset += chunk.length;
      state.waiting.push(chunk);
      state.waitingBytes += chunk.length;
      if (state.waitingBytes < batchBytes) return;
      // The next batch is hashed while this one is written.
      await state.writing;
      state.writing = startWriting(handle, state);
      state.writing.catch(() => {});
    },
    flush,
    keep: () => flush().catch(() => {}),
    restart: async () => {
      await state.writing.catch(() => {});
      await onDisk(() => handle.truncate(0));
      Object.assign(state, freshState(expected));
    },
    finish: async () => {
      await flush();
      const { mtimeNs } = await onDisk(async () => {
        await handle.sync();
        return await handle.stat({ bigint: true });
      });
      return { ...state.hash.digest(), mtimeNs: String(mtimeNs) };
    },
    close: async () => {
      await state.writing.catch(() => {});
      await handle.close();
    },
  };
}

function startWriting(handle: FileHandle, state: State): Promise<void> {
  const { waiting } = state;
  const position = state.offset - state.waitingBytes;
  state.waiting = [];
  state.waitingBytes = 0;
  return onDisk(() => writeAll(handle, waiting, position));
}

// `writev` may write less than it was given, when the disk becomes full on the way.
async function writeAll(handle: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<void> {
  let at = position;
  let rest = chunks.filter((chunk) => chunk.length > 0);
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev(rest, at);
    at += bytesWritten;
    rest = without(rest, bytesWritten);
  }
}

function without(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  return chunks.flatMap((chunk) => {
    const gone = Math.min(skip, chunk.length);
    skip -= gone;
    return gone === chunk.length ? [] : [chunk.subarray(gone)];
  });
}
