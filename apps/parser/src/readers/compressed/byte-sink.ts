import { expandsTooFar } from "./read-expanded.ts";

const firstBytes = 64 << 10;

/** Collects bytes, and refuses more than it may hold with `LIMIT_EXCEEDED`. */
export class ByteSink {
  readonly #maxBytes: number;
  #bytes = Buffer.allocUnsafe(firstBytes);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes that it can still take. */
  get roomBytes(): number {
    return this.#maxBytes - this.#length;
  }

  writeByte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    if (this.#length >= this.#maxBytes) throw expandsTooFar();
    this.#bytes[this.#length++] = byte;
  }

  write(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#maxBytes) throw expandsTooFar();
    if (this.#length + chunk.length > this.#bytes.length) this.#grow(chunk.length);
    this.#bytes.set(chunk, this.#length);
    this.#length += chunk.length;
  }

  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(count: number): void {
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + count));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
