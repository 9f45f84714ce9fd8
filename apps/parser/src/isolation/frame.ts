/**
 * A frame of the pipe between the service and a worker: two little-endian u32, the bytes of the head and of the body; then
 * the head, which is JSON; then the body, which is a file or a text.
 */
export interface Frame {
  readonly head: unknown;
  readonly body: Buffer;
}

export const prefixBytes = 8;
export const maxHeadBytes = 1 << 20;

export interface FrameSizes {
  readonly headBytes: number;
  readonly bodyBytes: number;
}

/** Prefix and head in one buffer; the body follows as it is, uncopied. */
export function encodeFrameStart(head: object, bodyBytes: number): Buffer {
  const text = Buffer.from(JSON.stringify(head), "utf8");
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32LE(text.length, 0);
  prefix.writeUInt32LE(bodyBytes, 4);
  return Buffer.concat([prefix, text]);
}

export function decodePrefix(prefix: Buffer): FrameSizes {
  return { headBytes: prefix.readUInt32LE(0), bodyBytes: prefix.readUInt32LE(4) };
}

/** @throws SyntaxError when the head is not JSON. */
export function decodeHead(head: Buffer): unknown {
  return JSON.parse(head.toString("utf8")) as unknown;
}
