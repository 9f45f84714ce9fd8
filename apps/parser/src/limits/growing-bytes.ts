import { freeMemory } from "@attune/service-kit/free-memory.ts";

const smallestBytes = 16_384;
const largestGuessBytes = 4 << 20;

/** Bytes gathered in one buffer that doubles, so that a million tiny chunks cost no more memory than a few large ones. */
export class GrowingBytes {
  #buffer: Buffer;
  #sizeBytes = 0;

  /** `expectedBytes` spares the doubling when it is right, and takes no more than 4 MiB of address space when it is a lie. */
  constructor(expectedBytes = smallestBytes) {
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(Math.max(expectedBytes, 0), largestGuessBytes));
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  append(chunk: Uint8Array): void {
    const neededBytes = this.#sizeBytes + chunk.length;
    if (neededBytes > this.#buffer.length) this.#resize(Math.max(neededBytes, this.#buffer.length * 2, smallestBytes));
    this.#buffer.set(chunk, this.#sizeBytes);
    this.#sizeBytes = neededBytes;
  }

  /** What was gathered so far; valid until the next `append` or `take`. */
  view(): Uint8Array {
    return this.#buffer.subarray(0, this.#sizeBytes);
  }

  /** What was gathered, in memory of exactly its size, which is the caller's from now on; nothing is left here. */
  take(): Uint8Array {
    if (this.#buffer.length !== this.#sizeBytes) this.#resize(this.#sizeBytes);
    const taken = this.#buffer;
    this.#buffer = Buffer.alloc(0);
    this.#sizeBytes = 0;
    return taken;
  }

  #resize(capacityBytes: number): void {
    const resized = Buffer.allocUnsafeSlow(capacityBytes);
    resized.set(this.view());
    freeMemory(this.#buffer);
    this.#buffer = resized;
  }
}
