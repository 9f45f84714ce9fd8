import { freeMemory } from "@attune/service-kit/free-memory.ts";

/** The pieces of one text that have come so far. */
export class TextPieces {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #sizeBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Takes the piece over. @throws Error when the text is longer than allowed. */
  add(piece: Buffer): void {
    this.#sizeBytes += piece.length;
    if (this.#sizeBytes > this.#maxBytes) throw new Error(`text of ${this.#sizeBytes} bytes`);
    this.#pieces.push(piece);
  }

  /** The whole text with its last piece; the pieces are freed. @throws Error when it is longer than allowed. */
  end(last: Buffer): Buffer {
    this.add(last);
    const whole = this.#pieces.length === 1 ? last : Buffer.allocUnsafeSlow(this.#sizeBytes);
    let at = 0;
    for (const piece of whole === last ? [] : this.#pieces.splice(0)) {
      at += piece.copy(whole, at);
      freeMemory(piece);
    }
    this.#pieces = [];
    this.#sizeBytes = 0;
    return whole;
  }

  /** Frees what has come of a text without an end: its job failed, or its worker ended. */
  drop(): void {
    for (const piece of this.#pieces) freeMemory(piece);
    this.#pieces = [];
    this.#sizeBytes = 0;
  }
}
