import { AppError } from "@attune/service-kit/app-error.ts";
import { freeMemory } from "@attune/service-kit/free-memory.ts";
import { GrowingBytes } from "../limits/growing-bytes.ts";
import type { OpenedFile } from "../sources/file-source.ts";
import { openSpoolFolder, type SpoolFolder } from "./spool-folder.ts";
import type { Spool, SpooledFile } from "./spool.ts";
import { spoolBytes, spoolFile } from "./spooled-file.ts";
import { toStorageError, writeWhole } from "./write-whole.ts";

export interface SpoolSettings {
  /** Folder in which each process makes a private one of its own. */
  readonly workDirectory: string;
  /** Largest file taken in. */
  readonly maxBytes: number;
  /** Files up to this size stay in memory until a program wants their path. */
  readonly memoryBytes: number;
}

export const defaultSpoolMemoryBytes = 4 << 20;

/**
 * Makes this process's private folder, and removes those that dead processes left in the same place.
 * @throws AppError `STORAGE_FULL` when there is no room for it.
 */
export async function createSpool(settings: SpoolSettings): Promise<Spool> {
  const folder = await openSpoolFolder(settings.workDirectory);
  return {
    store: (opened, signal) => store({ opened, settings, folder }, signal),
    close: () => folder.close(),
  };
}

interface Storing {
  readonly opened: OpenedFile;
  readonly settings: SpoolSettings;
  readonly folder: SpoolFolder;
}

async function store({ opened, settings, folder }: Storing, signal: AbortSignal): Promise<SpooledFile> {
  if ((opened.sizeBytes ?? 0) > settings.maxBytes) {
    // Leaving the stream before its start frees what the source holds.
    await opened.stream[Symbol.asyncIterator]().return?.();
    throw tooLarge(settings.maxBytes);
  }
  const sink = createSink(settings, folder, opened.sizeBytes);
  try {
    for await (const chunk of opened.stream) {
      signal.throwIfAborted();
      await sink.write(chunk);
    }
    return await sink.finish();
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

function createSink({ maxBytes, memoryBytes }: SpoolSettings, folder: SpoolFolder, expectedBytes?: number) {
  const isForDisk = (expectedBytes ?? 0) > memoryBytes;
  let memory: GrowingBytes | undefined = isForDisk ? undefined : new GrowingBytes(expectedBytes);
  let file: Awaited<ReturnType<SpoolFolder["createFile"]>> | undefined;
  let sizeBytes = 0;

  const writeToDisk = async (chunk: Uint8Array) => {
    file ??= await folder.createFile();
    await writeWhole(file.handle, chunk);
  };
  const moveToDisk = async (gathered: GrowingBytes) => {
    memory = undefined;
    const bytes = gathered.take();
    await writeToDisk(bytes);
    freeMemory(bytes);
  };
  return {
    write: async (chunk: Uint8Array) => {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      if (memory !== undefined && sizeBytes > memoryBytes) await moveToDisk(memory);
      if (memory === undefined) await writeToDisk(chunk);
      else memory.append(chunk);
    },
    finish: async (): Promise<SpooledFile> => {
      if (sizeBytes === 0) throw new AppError("FILE_EMPTY");
      if (memory !== undefined) return spoolBytes(memory.take(), folder);
      await file?.handle.close().catch(toStorageError);
      return spoolFile(file?.path ?? "", sizeBytes, folder);
    },
    discard: async () => {
      await file?.handle.close().catch(() => {});
      if (file !== undefined) await folder.remove(file.path);
    },
  };
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("FILE_TOO_LARGE", { detail: `It has more than ${maxBytes} bytes.` });
}
