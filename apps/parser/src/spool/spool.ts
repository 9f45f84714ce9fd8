import type { OpenedFile } from "../sources/file-source.ts";

/** Where fetched files lie while they are parsed. */
export interface Spool {
  /**
   * Takes the stream of an opened file in, counting.
   * @throws AppError `FILE_TOO_LARGE`, `FILE_EMPTY`, `STORAGE_FULL`, and what the stream throws.
   */
  store(opened: OpenedFile, signal: AbortSignal): Promise<SpooledFile>;
  /** Removes what is left, at the end of the service. */
  close(): Promise<void>;
}

/** Small files stay in memory; disposing removes every trace of any. */
export interface SpooledFile extends AsyncDisposable {
  readonly sizeBytes: number;
  /** The whole file in memory. @throws AppError `FILE_TOO_LARGE` when it is larger than one buffer may be. */
  readBytes(): Promise<Uint8Array>;
  /** The file from its start, in pieces; each is valid until the next is asked for, and the last until the end is. */
  readChunks(): AsyncIterable<Uint8Array>;
  /** Opens the file for a look here and there; only what is looked at is read. */
  openForAccess(): Promise<SpooledAccess>;
  /** A regular file of this process with the bytes, for programs that want a path; made when first asked for. */
  toPath(): Promise<string>;
}

export interface SpooledAccess extends AsyncDisposable {
  readonly sizeBytes: number;
  /** The bytes from `offset` on, fewer than `length` where the file ends before. */
  readAt(offset: number, length: number): Uint8Array;
}
