/** Where files come from: one implementation per kind of URL, listed in `sources.ts`. */
export interface FileSource {
  /** URL schemes without the colon, lower case. */
  readonly schemes: readonly string[];
  /**
   * Opens the file for reading once, from start to end. The caller counts the bytes and ends the stream; leaving it early
   * frees everything that `open` took.
   * @throws AppError `FILE_URL_INVALID`, `FETCH_REFUSED`, `FILE_NOT_FOUND`, `FETCH_DENIED`, `FETCH_FAILED`,
   *   `FETCH_TIMEOUT`, also while streaming.
   */
  open(url: string, signal: AbortSignal): Promise<OpenedFile>;
}

export interface OpenedFile {
  /** A chunk is valid until the next is asked for. */
  readonly stream: AsyncIterable<Uint8Array>;
  /** When the other side says so; the stream is checked against it. */
  readonly sizeBytes?: number;
  /** What the other side says it is; hints. */
  readonly mediaType?: string;
  readonly charset?: string;
  /** From the address or a header, without folders. */
  readonly fileName?: string;
}
