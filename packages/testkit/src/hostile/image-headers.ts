import { crc32 } from "node:zlib";
import { packedFlood } from "./floods.ts";

/** A PNG file that states this size; `extra` chunks stand before its data, which is next to nothing. */
export function pngOf(width: number, height: number, extra: readonly Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const zlib = Buffer.concat([Buffer.from([0x78, 0x9c]), packedFlood(4)]);
  return Buffer.concat([
    signature,
    pngChunk("IHDR", header),
    ...extra,
    pngChunk("IDAT", zlib),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, bytes: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), bytes]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(bytes.length);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

/** Compressed text of a PNG file that expands to 256 MiB. */
export function pngTextFlood(): Buffer {
  return pngChunk(
    "zTXt",
    Buffer.concat([Buffer.from("Comment\0\0"), Buffer.from([0x78, 0x9c]), packedFlood(256, 0x61)]),
  );
}

/** A GIF file of this size whose only frame is repeated. */
export function gifOf(side: number, frames: number): Buffer {
  const head = Buffer.from("GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff", "latin1");
  head.writeUInt16LE(side, 6);
  head.writeUInt16LE(side, 8);
  const frame = Buffer.from("2c0000000001000100000202440100", "hex");
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from(";")]);
}

/** A TIFF file that states this size, whose list of pages leads back to its beginning when `isLoop`. */
export function tiffOf(side: number, isLoop: boolean): Buffer {
  const tags = [
    [256, side],
    [257, side],
    [258, 1],
    [259, 1],
    [262, 0],
    [273, 8],
    [278, side],
    [279, 1],
  ] as const;
  const bytes = Buffer.alloc(8 + 2 + tags.length * 12 + 4);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(tags.length, 8);
  for (const [index, [tag, value]] of tags.entries()) {
    const at = 10 + index * 12;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(4, at + 2);
    bytes.writeUInt32LE(1, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  }
  bytes.writeUInt32LE(isLoop ? 8 : 0, bytes.length - 4);
  return bytes;
}

/** A BMP file that states this size. */
export function bmpOf(side: number): Buffer {
  const bytes = Buffer.alloc(62);
  bytes.write("BM", 0, "latin1");
  bytes.writeUInt32LE(62, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(side, 18);
  bytes.writeInt32LE(side, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(1, 28);
  return bytes;
}

/** A lossless WebP file that states the largest size there is. */
export function webpOf(): Buffer {
  return Buffer.concat([Buffer.from("RIFF\x20\0\0\0WEBPVP8L\x14\0\0\0/", "latin1"), Buffer.alloc(23, 0xff)]);
}

/** A progressive JPEG file of this size with this many scans of nothing. */
export function jpegOf(side: number, scans: number): Buffer {
  const frame = Buffer.from("ffc2000b08000000000101110000".slice(0, 26), "hex");
  frame.writeUInt16BE(side, 5);
  frame.writeUInt16BE(side, 7);
  const scan = Buffer.from("ffda0008010100003f000000", "hex");
  return Buffer.concat([
    Buffer.from("ffd8", "hex"),
    frame,
    ...Array.from({ length: scans }, () => scan),
    Buffer.from("ffd9", "hex"),
  ]);
}
