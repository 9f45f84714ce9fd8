/** A file that is looked at here and there: one in memory, or one on disk of which only what is asked for is read. */
export interface RandomAccess {
  readonly sizeBytes: number;
  /** The bytes from `offset` on, fewer than `length` where the file ends before. They are the reader's only to look at. */
  readAt(offset: number, length: number): Uint8Array;
}

export function accessBytes(bytes: Uint8Array): RandomAccess {
  return {
    sizeBytes: bytes.length,
    readAt: (offset, length) => bytes.subarray(offset, Math.max(offset, offset + length)),
  };
}

/** As `readAt`, as a Buffer over the same bytes. */
export function readBuffer(file: RandomAccess, offset: number, length: number): Buffer {
  const bytes = file.readAt(offset, length);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
