import { readSync, writeSync } from "node:fs";
import { decodeHead, decodePrefix, encodeFrameStart, type Frame, prefixBytes } from "./frame.ts";

/**
 * A worker's end of the pipe. It blocks, because a worker does one thing at a time: that spares it the copies and turns of
 * the event loop that a socket costs, and a file of 256 MiB is read straight into its place.
 */
export interface BlockingChannel {
  /** The next frame, or undefined when the service has gone. */
  read(): Frame | undefined;
  write(head: object, body?: Uint8Array): void;
}

export function openBlockingChannel(descriptor: number): BlockingChannel {
  return {
    read: () => {
      const prefix = readExactly(descriptor, prefixBytes);
      if (prefix === undefined) return undefined;
      const { headBytes, bodyBytes } = decodePrefix(prefix);
      const head = readExactly(descriptor, headBytes);
      const body = readExactly(descriptor, bodyBytes);
      return head && body && { head: decodeHead(head), body };
    },
    write: (head, body = new Uint8Array()) => {
      writeAll(descriptor, encodeFrameStart(head, body.length));
      writeAll(descriptor, body);
    },
  };
}

function readExactly(descriptor: number, size: number): Buffer | undefined {
  const target = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(descriptor, target, filled, size - filled, null);
    if (count === 0) return undefined;
    filled += count;
  }
  return target;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written, bytes.length - written);
}
