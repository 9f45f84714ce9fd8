import { freeMemory } from "@attune/service-kit/free-memory.ts";
import type { Readable } from "node:stream";

export interface PieceLimits {
  readonly pieceBytes: number;
  /** Silence after which the sender counts as gone. */
  readonly stallMs: number;
}

/**
 * Joins what comes to pieces of `pieceBytes`. A connection that breaks off ends them with all that came before it. A piece is
 * written over when the next one is asked for.
 */
export async function* cutPieces(body: Readable, { pieceBytes, stallMs }: PieceLimits): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  try {
    yield* fill(piece, untilBroken(body, stallMs));
  } finally {
    freeMemory(piece);
  }
}

async function* fill(piece: Buffer, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let heldBytes = 0;
  for await (let rest of chunks) {
    while (rest.byteLength > 0) {
      const taken = rest.subarray(0, piece.byteLength - heldBytes);
      piece.set(taken, heldBytes);
      heldBytes = (heldBytes + taken.byteLength) % piece.byteLength;
      rest = rest.subarray(taken.byteLength);
      if (heldBytes === 0) yield piece;
    }
  }
  if (heldBytes > 0) yield piece.subarray(0, heldBytes);
}

/** Whoever broke off or fell silent is not there to be told, and comes again. */
async function* untilBroken(body: Readable, stallMs: number): AsyncGenerator<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    timer = setTimeout(() => body.destroy(), stallMs).unref();
  };
  try {
    watch();
    // Left early, it is read to its end and thrown away, because the refusal goes over the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      // While a piece is stored, nobody waits for the sender.
      clearTimeout(timer);
      yield chunk as Uint8Array;
      freeMemory(chunk as Uint8Array);
      watch();
    }
  } catch {
    // What came is kept.
  } finally {
    clearTimeout(timer);
    body.resume();
  }
}
