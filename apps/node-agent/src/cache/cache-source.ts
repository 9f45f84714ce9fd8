import type { ExpectedFile } from "./disk/partial-file.ts";

/** What part of a file is wanted. */
export interface WantedPart {
  /** Bytes that are there already. */
  readonly offset: number;
  /** What the source called the version that they came from. */
  readonly etag: string | undefined;
}

export interface OpenedFile {
  /** Where the body begins: what was wanted, or 0 when all of it comes. */
  readonly offset: number;
  readonly etag: string | undefined;
  /** Its chunks belong to the reader. */
  readonly body: AsyncIterable<Uint8Array>;
  readonly discard: () => void;
}

export interface SourceFile extends ExpectedFile {
  /** Where it lies in the entry. */
  readonly path: string;
  /** What the source calls its present version, where it tells beforehand and its hash is not known. */
  readonly version?: string;
  /**
   * @throws AppError `CACHE_SOURCE_CHANGED` when what has come before is of no use, `CACHE_SOURCE_FAILED` and
   * `CACHE_SOURCE_TIMEOUT` when trying again may help; any other reason is final.
   */
  open(part: WantedPart, signal: AbortSignal): Promise<OpenedFile>;
}

export interface SourceListing {
  readonly files: readonly SourceFile[];
  /** The revision that the files are of, where there is one. */
  readonly revision: string | null;
}

/** Where an entry comes from. */
export interface CacheSource {
  readonly type: "files" | "local" | "hub";
  /** For people; without secrets. */
  readonly name: string;
  /** The same for requests that want the same content; not an address, because presigned links change. */
  readonly fingerprint: string;
  /** Name for the entry when the caller gives none. */
  readonly suggestedKey: string;
  list(signal: AbortSignal): Promise<SourceListing>;
}
