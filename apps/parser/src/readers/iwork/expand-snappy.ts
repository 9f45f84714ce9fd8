import { AppError } from "@attune/service-kit/app-error.ts";

/** Bytes that a copy of three can stand for at most; nothing in the format expands further. */
const maxRatio = 22;

/**
 * Expands one block of Snappy (https://github.com/google/snappy/blob/main/format_description.txt).
 * @throws AppError `DOCUMENT_CORRUPT`.
 */
export function expandSnappy(block: Buffer): Buffer {
  const { value: length, end } = readVarint(block, 0);
  if (length > (block.length - end) * maxRatio) throw corrupt();
  const output = Buffer.alloc(length);
  let written = 0;
  for (let at = end; at < block.length;) {
    const element = readElement(block, at);
    if (written + element.length > length) throw corrupt();
    if (element.offset === undefined) block.copy(output, written, element.end - element.length, element.end);
    else copyBack(output, written, element);
    written += element.length;
    at = element.end;
  }
  if (written !== length) throw corrupt();
  return output;
}

interface Element {
  readonly length: number;
  /** How far back the bytes lie that are copied; undefined for bytes that follow as they are. */
  readonly offset?: number;
  readonly end: number;
}

function readElement(block: Buffer, at: number): Element {
  const tag = block[at] ?? 0;
  const size = tag >> 2;
  switch (tag & 3) {
    case 0: {
      const extra = Math.max(0, size - 59);
      const length = (extra === 0 ? size : littleEndian(block, at + 1, extra)) + 1;
      const end = at + 1 + extra + length;
      if (end > block.length) throw corrupt();
      return { length, end };
    }
    case 1:
      return { length: (size & 7) + 4, offset: ((tag >> 5) << 8) | littleEndian(block, at + 1, 1), end: at + 2 };
    case 2:
      return { length: size + 1, offset: littleEndian(block, at + 1, 2), end: at + 3 };
    default:
      return { length: size + 1, offset: littleEndian(block, at + 1, 4), end: at + 5 };
  }
}

// Bytes may be copied that this very copy has just written.
function copyBack(output: Buffer, written: number, { length, offset = 0 }: Element): void {
  if (offset === 0 || offset > written) throw corrupt();
  for (let index = written; index < written + length; index++) output[index] = output[index - offset] ?? 0;
}

function littleEndian(block: Buffer, at: number, count: number): number {
  if (at + count > block.length) throw corrupt();
  return block.readUIntLE(at, count);
}

/** A number of seven bits a byte, the lowest first; past 2^53 it is not exact. */
export function readVarint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = from, scale = 1; at < bytes.length && at < from + 10; at++, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return { value, end: at + 1 };
  }
  throw corrupt();
}

function corrupt(): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: "One of its parts cannot be expanded." });
}
