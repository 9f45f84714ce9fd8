import { maxRowBytes, type RawRecord, type Splitter } from "./source-row.ts";

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Cuts JSONL into its lines, without their line ends; blank lines yield nothing. */
export function createLineSplitter(): Splitter {
  let pieces: Buffer[] = [];
  let length = 0;
  let line = 1;
  let byteOffset = 0;

  const take = (piece: Buffer): void => {
    length += piece.length;
    if (length <= maxRowBytes) pieces.push(piece);
    else pieces = [];
  };
  const finish = (records: RawRecord[]): void => {
    const isTooLong = length > maxRowBytes;
    const bytes = withoutCarriageReturn(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
    if (isTooLong || !isBlank(bytes)) records.push({ bytes, line, byteOffset, isTooLong });
    byteOffset += length;
    pieces = [];
    length = 0;
  };

  return {
    push(chunk) {
      const records: RawRecord[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        take(chunk.subarray(start, end));
        finish(records);
        byteOffset++;
        line++;
        start = end + 1;
      }
      if (start < chunk.length) take(Buffer.from(chunk.subarray(start)));
      return records;
    },
    end() {
      const records: RawRecord[] = [];
      if (length > 0) finish(records);
      return records;
    },
  };
}

function withoutCarriageReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== carriageReturn) return false;
  return true;
}
