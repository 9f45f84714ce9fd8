/** Keeps the last bytes of a stream of diagnostics, so that a program that floods it costs nothing. */
export interface TextTail {
  add(chunk: Uint8Array): void;
  /** UTF-8, damaged sequences replaced. */
  read(): string;
}

export function createTextTail(maxBytes: number): TextTail {
  let kept: Buffer = Buffer.alloc(0);
  return {
    add: (chunk) => {
      const fresh = chunk.subarray(Math.max(0, chunk.length - maxBytes));
      const old = kept.subarray(Math.max(0, kept.length + fresh.length - maxBytes));
      kept = Buffer.concat([old, fresh]);
    },
    read: () => kept.toString("utf8"),
  };
}
