import { freeMemory } from "@attune/service-kit/free-memory.ts";

export interface ForkedBytes {
  /** May be left early. */
  readonly forRows: AsyncIterable<Uint8Array>;
  /** Drives: a piece is read when the store asks for it, and rows have done with the one before. */
  readonly forStore: AsyncIterable<Uint8Array>;
  /** Ends the rows, with an error or as if nothing more came; the store goes on alone. */
  readonly stopRows: (error?: Error) => void;
}

type Offer = { readonly piece: Uint8Array } | { readonly error: Error } | "end";

/**
 * The same pieces twice, without a copy. A piece is freed when both readers asked for the next one: whoever needs it longer
 * makes a copy.
 */
export function forkBytes(body: AsyncIterable<Uint8Array>): ForkedBytes {
  let offered = Promise.withResolvers<Offer>();
  let wanted = Promise.withResolvers<void>();
  let isStopped = false;

  const stopRows = (error?: Error): void => {
    if (isStopped) return;
    isStopped = true;
    offered.resolve(error === undefined ? "end" : { error });
    wanted.resolve();
  };
  async function* forRows(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        wanted.resolve();
        const offer = await offered.promise;
        if (offer === "end") return;
        if ("error" in offer) throw offer.error;
        offered = Promise.withResolvers();
        yield offer.piece;
      }
    } finally {
      stopRows();
    }
  }
  async function* forStore(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of body) {
        await wanted.promise;
        if (!isStopped) {
          wanted = Promise.withResolvers();
          offered.resolve({ piece });
        }
        yield piece;
        // The store has done with it; rows have when they ask for another.
        await wanted.promise;
        freeMemory(piece);
      }
      await wanted.promise;
      stopRows();
    } catch (error) {
      stopRows(error as Error);
      throw error;
    }
  }
  return { forRows: forRows(), forStore: forStore(), stopRows };
}
