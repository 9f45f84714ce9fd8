import type { Readable } from "node:stream";

export interface LineReader {
  readonly onLine: (line: string) => void;
  /** A line that was longer than it may be, of which nothing was kept. */
  readonly onTooLong: (bytes: number) => void;
  /** The stream has ended; what it had of a last line that nothing ended is not told. */
  readonly onEnd: (unfinishedBytes: number) => void;
}

const newline = 0x0a;

/** Cuts a stream of bytes into lines; memory is bounded by `maxBytes`, whatever comes. */
export function readLines(stream: Readable, maxBytes: number, reader: LineReader): void {
  let parts: Buffer[] = [];
  let size = 0;
  const take = (piece: Buffer): void => {
    size += piece.length;
    if (size <= maxBytes) parts.push(piece);
    else parts = [];
  };
  const finish = (): void => {
    if (size > maxBytes) reader.onTooLong(size);
    else reader.onLine(Buffer.concat(parts, size).toString("utf8"));
    parts = [];
    size = 0;
  };
  stream.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
      take(chunk.subarray(start, at));
      finish();
      start = at + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  });
  stream.once("end", () => reader.onEnd(size));
  stream.on("error", () => undefined);
}
