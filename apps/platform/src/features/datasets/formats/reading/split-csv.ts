import { maxRowBytes, type RawRecord, type Splitter } from "./source-row.ts";

const quote = 0x22;
const newline = 0x0a;

/** Cuts CSV into records: a line break inside a quoted field does not end one. Blank lines yield nothing. */
export function createCsvSplitter(): Splitter {
  let pieces: Buffer[] = [];
  let length = 0;
  let isQuoted = false;
  let [line, recordLine, byteOffset] = [1, 1, 0];

  const take = (piece: Buffer): void => {
    length += piece.length;
    if (length <= maxRowBytes) pieces.push(piece);
    else pieces = [];
  };
  const finish = (records: RawRecord[], lineEnd: number): void => {
    const isTooLong = length > maxRowBytes;
    const bytes = withoutReturn(Buffer.concat(pieces));
    if (isTooLong || bytes.length > 0) records.push({ bytes, line: recordLine, byteOffset, isTooLong });
    byteOffset += length + lineEnd;
    recordLine = line;
    pieces = [];
    length = 0;
  };

  return {
    push(chunk) {
      const records: RawRecord[] = [];
      let start = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at];
        // A doubled quote inside a field ends the quoting and begins it again: the same effect.
        if (byte === quote) isQuoted = !isQuoted;
        if (byte !== newline) continue;
        line++;
        if (isQuoted) continue;
        take(chunk.subarray(start, at));
        finish(records, 1);
        start = at + 1;
      }
      if (start < chunk.length) take(Buffer.from(chunk.subarray(start)));
      return records;
    },
    end() {
      const records: RawRecord[] = [];
      if (length > 0) finish(records, 0);
      return records;
    },
  };
}

const withoutReturn = (bytes: Buffer): Buffer => (bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes);
