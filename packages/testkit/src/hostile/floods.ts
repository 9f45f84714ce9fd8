import { constants, crc32, deflateRawSync } from "node:zlib";

const mib = 1 << 20;

/**
 * A raw deflate stream that expands to `unit` again and again, `times` times; about a thousandth of that in size, and made
 * without expanding it.
 */
export function packedRepetition(unit: Uint8Array, times: number): Buffer {
  // A stream flushed at a byte's edge may be continued by another.
  const piece = deflateRawSync(unit, { finishFlush: constants.Z_SYNC_FLUSH });
  return Buffer.concat([...Array.from({ length: times }, () => piece), Buffer.from([3, 0])]);
}

/** A raw deflate stream of `sizeMib` of one byte. */
export function packedFlood(sizeMib: number, byte = 0): Buffer {
  return packedRepetition(Buffer.alloc(mib, byte), sizeMib);
}

/** The same as a gzip file; its checksum is right. */
export function gzipFlood(sizeMib: number, byte = 0): Buffer {
  const unit = Buffer.alloc(mib, byte);
  let crc = 0;
  for (let at = 0; at < sizeMib; at++) crc = crc32(unit, crc);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc, 0);
  end.writeUInt32LE((sizeMib * mib) % 2 ** 32, 4);
  return Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), packedFlood(sizeMib, byte), end]);
}

/** The same as a zlib stream, as PDF's FlateDecode takes it; its checksum is missing, which readers of PDF do not mind. */
export function zlibFlood(unit: Uint8Array, times: number): Buffer {
  return Buffer.concat([Buffer.from([0x78, 0x9c]), packedRepetition(unit, times)]);
}

/** Something wrapped in itself: `wrap` applied `depth` times. */
export function nest<T>(innermost: T, depth: number, wrap: (inner: T, level: number) => T): T {
  let result = innermost;
  for (let level = 0; level < depth; level++) result = wrap(result, level);
  return result;
}

/** Pieces made one after the other, joined. */
export function sequence(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join("");
}
