import { AppError } from "@attune/service-kit/app-error.ts";
import { TiffFile } from "./tiff-pages.ts";

/** What a picture says of itself before it is decoded. */
export interface PictureHeader {
  readonly width: number;
  readonly height: number;
  /** 1 to 8 as in Exif; 1 is upright. */
  readonly orientation: number;
  /** More pictures follow, as in an animation. */
  readonly isAnimated: boolean;
}

type Read = (bytes: Buffer) => Partial<PictureHeader> | undefined;

const readers: Readonly<Record<string, Read>> = {
  png: readPng,
  jpeg: readJpeg,
  gif: readGif,
  bmp: readBmp,
  webp: readWebp,
};

/**
 * Size and orientation of a picture, from its header alone.
 * @throws AppError `DOCUMENT_CORRUPT` when it has none.
 */
export function readPictureHeader(format: string, bytes: Uint8Array): PictureHeader {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readers[format]?.(buffer);
  const { width = 0, height = 0 } = header ?? {};
  if (!(width > 0 && height > 0)) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no picture of any size." });
  return { orientation: 1, isAnimated: false, ...header, width, height };
}

// W3C, Portable Network Graphics, 11.2.2 IHDR; the chunk eXIf may stand anywhere before the end.
function readPng(bytes: Buffer): Partial<PictureHeader> | undefined {
  if (bytes.length < 24) return undefined;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString("latin1", at + 4, at + 8) !== "eXIf") continue;
    return { width, height, orientation: readOrientation(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at))) };
  }
  return { width, height };
}

// ITU-T T.81, annex B: markers, each with its length, up to the frame header.
function readJpeg(bytes: Buffer): Partial<PictureHeader> | undefined {
  let orientation = 1;
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] as number;
    if (hasNoLength(marker)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5), orientation };
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (marker === 0xe1 && bytes.toString("latin1", at + 4, at + 10) === "Exif\0\0")
      orientation = readOrientation(bytes.subarray(at + 10, end));
    if (marker === 0xda) break;
    at = Math.max(end, at + 4);
  }
  return undefined;
}

// Fill bytes, TEM and restarts.
const hasNoLength = (marker: number): boolean =>
  marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);

// SOF0 to SOF15, without DHT, JPG and DAC, which stand among them.
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

// GIF89a, 18 and 20: the screen, then the first picture, which may be larger than it.
function readGif(bytes: Buffer): Partial<PictureHeader> | undefined {
  if (bytes.length < 14) return undefined;
  const flags = bytes[10] as number;
  let [width, height, pictures] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8), 0];
  let at = 13 + tableBytes(flags);
  while (at + 10 < bytes.length && pictures < 2) {
    if (bytes[at] === 0x2c) {
      pictures++;
      if (pictures === 1) {
        width = Math.max(width, bytes.readUInt16LE(at + 5));
        height = Math.max(height, bytes.readUInt16LE(at + 7));
      }
      at = skipBlocks(bytes, at + 11 + tableBytes(bytes[at + 9] as number));
    } else if (bytes[at] === 0x21) at = skipBlocks(bytes, at + 2);
    else break;
  }
  return { width, height, isAnimated: pictures > 1 };
}

const tableBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

function skipBlocks(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] as number);
  return at + 1;
}

// BITMAPCOREHEADER has 12 bytes, BITMAPINFOHEADER and its successors 40 and more; a negative height is a picture from the top.
function readBmp(bytes: Buffer): Partial<PictureHeader> | undefined {
  if (bytes.length < 26) return undefined;
  if (bytes.readUInt32LE(14) === 12) return { width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20) };
  return { width: bytes.readInt32LE(18), height: Math.abs(bytes.readInt32LE(22)) };
}

// RFC 9649: VP8X gives the canvas, else VP8L or VP8 the picture.
function readWebp(bytes: Buffer): Partial<PictureHeader> | undefined {
  if (bytes.length < 30) return undefined;
  const chunk = bytes.toString("latin1", 12, 16);
  if (chunk === "VP8X") {
    const size = { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    return { ...size, isAnimated: ((bytes[20] as number) & 2) !== 0, orientation: webpOrientation(bytes) };
  }
  if (chunk === "VP8L") {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

function webpOrientation(bytes: Buffer): number {
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32LE(at + 4);
    if (bytes.toString("latin1", at, at + 4) === "EXIF") {
      const exif = bytes.subarray(at + 8, at + 8 + length);
      return readOrientation(exif.toString("latin1", 0, 6) === "Exif\0\0" ? exif.subarray(6) : exif);
    }
    at += 8 + length + (length % 2);
  }
  return 1;
}

/** The orientation that Exif data tells, which is a TIFF file without a picture. */
function readOrientation(exif: Uint8Array): number {
  const file = new TiffFile(exif);
  const [directory] = file.listDirectories(1);
  const orientation = directory === undefined ? 1 : file.readPage(directory).orientation;
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}
