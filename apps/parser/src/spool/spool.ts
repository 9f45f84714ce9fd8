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
  readBytes(): Promise<Uint8Array>;
  /** A regular file of this process with the bytes, for programs that want a path; made when first asked for. */
  toPath(): Promise<string>;
}
