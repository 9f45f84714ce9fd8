import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createDeflateRaw } from "node:zlib";
import { centralEntry, descriptor, endOfDirectory, localHeader, type ZipEntry } from "./zip-records.ts";

export interface ZipPart {
  /** Path inside the archive, with slashes; unique in it. */
  readonly path: string;
  /** Bytes that the content will have, roughly: from 1 GiB on, the entry is made so that it may exceed 4 GiB. */
  readonly expectedBytes: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

const zip64From = 2 ** 30;
const largestPlain = 2 ** 32 - 1;
// Text of datasets shrinks little more with higher levels, which take several times as long.
const level = 3;

/**
 * A ZIP archive, deflated, piece by piece in constant memory. When a part fails, so does the archive, before its directory
 * is written: no reader takes it for whole.
 * @throws whatever a part throws; an Error when a part grew beyond 4 GiB that was expected to be much smaller.
 */
export async function* writeZip(parts: Iterable<ZipPart>, modifiedAt: Date): AsyncGenerator<Buffer> {
  const entries: ZipEntry[] = [];
  let offset = 0;
  for (const { path, expectedBytes, open } of parts) {
    const entry: ZipEntry = {
      path: Buffer.from(path),
      modifiedAt,
      isZip64: expectedBytes >= zip64From,
      offset,
      crc: 0,
      sizeBytes: 0,
      packedBytes: 0,
    };
    entries.push(entry);
    const header = localHeader(entry);
    yield header;
    yield* packPart(entry, open());
    const end = descriptor(entry);
    yield end;
    offset += header.length + entry.packedBytes + end.length;
  }
  const directory = entries.map(centralEntry);
  yield* directory;
  const sizeBytes = directory.reduce((sum, { length }) => sum + length, 0);
  yield endOfDirectory({ count: entries.length, sizeBytes, offset });
}

async function* packPart(entry: ZipEntry, content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      entry.crc = crc32(piece, entry.crc);
      entry.sizeBytes += piece.length;
      if (!entry.isZip64 && entry.sizeBytes > largestPlain) throw new Error("A part of a ZIP outgrew its header.");
      yield piece;
    }
  }
  const deflater = createDeflateRaw({ level, chunkSize: 65_536 });
  const source = Readable.from(counted(), { objectMode: true, highWaterMark: 1 });
  const feeding = pipeline(source, deflater);
  // Its failure ends the loop below as well.
  feeding.catch(() => undefined);
  try {
    for await (const piece of deflater as AsyncIterable<Buffer>) {
      entry.packedBytes += piece.length;
      yield piece;
    }
    await feeding;
  } finally {
    source.destroy();
    deflater.destroy();
  }
}
