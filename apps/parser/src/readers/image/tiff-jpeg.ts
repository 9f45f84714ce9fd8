import type { TiffFile, TiffPage } from "./tiff-pages.ts";
import type { DecodedPicture } from "./leptonica.ts";

/** Compression 7, Adobe's TIFF Technical Note 2: strips or tiles that are JPEG pictures, their tables perhaps told once for all. */
export const jpegCompression = 7;
const rgb = 2;
const ycbcr = 6;

export interface DecodeJpeg {
  (jpeg: Uint8Array): DecodedPicture | undefined;
}

/** The page put together of its strips, as Leptonica is built without JPEG in TIFF; undefined when none of them can be decoded. */
export function decodeTiffJpeg(bytes: Uint8Array, page: TiffPage, decode: DecodeJpeg): DecodedPicture | undefined {
  const { width, height, stripWidth, stripHeight, strips } = page;
  if (stripWidth < 1 || stripHeight < 1) return undefined;
  const pixels = new Uint8Array(width * height).fill(255);
  const across = Math.ceil(width / stripWidth);
  let decoded = 0;
  for (const [index, { offset, sizeBytes }] of strips.entries()) {
    const top = Math.floor(index / across) * stripHeight;
    if (top >= height) break;
    const strip = decode(wholeJpeg(bytes.subarray(offset, offset + sizeBytes), page));
    if (strip === undefined) continue;
    decoded++;
    paste(strip, { pixels, width, height, left: (index % across) * stripWidth, top });
  }
  return decoded === 0 ? undefined : { width, height, pixels, dpi: page.dpi };
}

interface Canvas {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
}

function paste(strip: DecodedPicture, { pixels, width, height, left, top }: Canvas): void {
  const columns = Math.min(strip.width, width - left);
  const rows = Math.min(strip.height, height - top);
  for (let y = 0; y < rows; y++) {
    const row = strip.pixels.subarray(y * strip.width, y * strip.width + columns);
    pixels.set(row, (top + y) * width + left);
  }
}

const startOfImage = Buffer.from([0xff, 0xd8]);

// A JPEG file may say in an Adobe marker whether it holds RGB or YCbCr; without one, decoders guess. TIFF says it in a tag.
function wholeJpeg(strip: Uint8Array, { jpegTables, photometric }: TiffPage): Uint8Array {
  const transform = photometric === rgb ? 0 : photometric === ycbcr ? 1 : undefined;
  const adobe = transform === undefined ? [] : [Buffer.from([0xff, 0xee, 0, 14]), adobeMarker(transform)];
  const tables = jpegTables === undefined ? [] : [jpegTables.subarray(2, jpegTables.length - 2)];
  return Buffer.concat([startOfImage, ...adobe, ...tables, strip.subarray(2)]);
}

function adobeMarker(transform: number): Uint8Array {
  return Buffer.concat([Buffer.from("Adobe"), Buffer.from([0, 100, 0, 0, 0, 0, transform])]);
}

/** Makes Leptonica take another page of a TIFF file for its first. */
export function linkFirstPage(file: TiffFile, page: TiffPage, patch: (at: number, bytes: Uint8Array) => void): void {
  const link = new Uint8Array(file.link.sizeBytes);
  file.encodeOffset(page.offset, link);
  patch(file.link.at, link);
}
