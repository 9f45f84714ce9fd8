import { freeMemory } from "@attune/service-kit/free-memory.ts";

export interface LentBytes extends Disposable {
  /** Valid until disposed. */
  readonly bytes: Uint8Array;
}

/**
 * Bytes whose memory goes back at once when their owner has released them and nobody has them on loan. What was shared for
 * good is left to the collector.
 */
export class OwnedBytes {
  readonly #bytes: Uint8Array;
  #loans = 0;
  #isShared = false;
  #isReleased = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The bytes, to be kept for as long as anybody likes. */
  share(): Uint8Array {
    this.assertAlive();
    this.#isShared = true;
    return this.#bytes;
  }

  lend(): LentBytes {
    this.assertAlive();
    this.#loans += 1;
    let isBack = false;
    return {
      bytes: this.#bytes,
      [Symbol.dispose]: () => {
        if (isBack) return;
        isBack = true;
        this.#loans -= 1;
        this.#freeIfDone();
      },
    };
  }

  release(): void {
    this.#isReleased = true;
    this.#freeIfDone();
  }

  /** @throws TypeError when the bytes have been released. */
  assertAlive(): void {
    if (this.#isReleased) throw new TypeError("the spooled file is disposed");
  }

  #freeIfDone(): void {
    if (this.#isReleased && this.#loans === 0 && !this.#isShared) freeMemory(this.#bytes);
  }
}
