import { readVarint } from "./expand-snappy.ts";

/** One field of a message of Protocol Buffers. */
export interface MessageField {
  readonly field: number;
  /** Of a number of variable length. */
  readonly value?: number;
  /** Of a text, of bytes, or of a message inside. */
  readonly bytes?: Buffer;
}

const fixedBytes: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** The fields of a message in the order of the file; undefined for bytes that are no message. */
export function readFields(message: Buffer): MessageField[] | undefined {
  const fields: MessageField[] = [];
  try {
    for (let at = 0; at < message.length;) {
      const key = readVarint(message, at);
      const [field, kind] = [Math.floor(key.value / 8), key.value % 8];
      if (field === 0) return undefined;
      const read = readField(message, key.end, kind);
      if (read === undefined || read.end > message.length) return undefined;
      fields.push({ field, ...read.content });
      at = read.end;
    }
  } catch {
    return undefined; // a number that does not end
  }
  return fields;
}

interface ReadField {
  readonly content: Omit<MessageField, "field">;
  readonly end: number;
}

function readField(message: Buffer, at: number, kind: number): ReadField | undefined {
  const size = fixedBytes[kind];
  if (size !== undefined) return { content: {}, end: at + size };
  if (kind !== 0 && kind !== 2) return undefined;
  const { value, end } = readVarint(message, at);
  if (kind === 0) return { content: { value }, end };
  return { content: { bytes: message.subarray(end, end + value) }, end: end + value };
}
