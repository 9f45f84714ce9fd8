/** Bytes gathered in one buffer that doubles, so that a million tiny chunks cost no more memory than a few large ones. */
export class GrowingBytes {
  #buffer: Buffer;
  #sizeBytes = 0;

  /** `expectedBytes` spares the doubling when it is right, and costs no more than 1 MiB when it is a lie. */
  constructor(expectedBytes = 0) {
    this.#buffer = Buffer.allocUnsafe(Math.min(Math.max(expectedBytes, 16_384), 1 << 20));
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  append(chunk: Uint8Array): void {
    const neededBytes = this.#sizeBytes + chunk.length;
    if (neededBytes > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(neededBytes, this.#buffer.length * 2, 16_384));
      grown.set(this.view());
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#sizeBytes);
    this.#sizeBytes = neededBytes;
  }

  /** What was gathered so far; valid until the next `append`. */
  view(): Uint8Array {
    return this.#buffer.subarray(0, this.#sizeBytes);
  }
}
