import type { Format } from "../format.ts";

/*
 * Pictures of text, read by OCR.
 */

const load: NonNullable<Format["load"]> = async () => (await import("./read-image.ts")).readImage;

const startsWith =
  (...signatures: readonly string[]): NonNullable<Format["sniff"]> =>
  ({ headLatin1 }) =>
    signatures.some((signature) => headLatin1.startsWith(signature)) ? 1 : 0;

export const png: Format = {
  name: "png",
  description: "PNG image",
  extensions: ["png"],
  mediaTypes: ["image/png"],
  sniff: startsWith("\x89PNG\r\n\x1a\n"),
  load,
};

export const jpeg: Format = {
  name: "jpeg",
  description: "JPEG image",
  extensions: ["jpg", "jpeg", "jpe", "jfif"],
  mediaTypes: ["image/jpeg"],
  sniff: startsWith("\xff\xd8\xff"),
  load,
};

export const tiff: Format = {
  name: "tiff",
  description: "TIFF image, of one or many pages",
  extensions: ["tif", "tiff"],
  mediaTypes: ["image/tiff"],
  sniff: startsWith("II*\0", "MM\0*", "II+\0", "MM\0+"),
  load,
};

export const bmp: Format = {
  name: "bmp",
  description: "Windows bitmap",
  extensions: ["bmp", "dib"],
  mediaTypes: ["image/bmp", "image/x-ms-bmp"],
  // Two letters are no signature; the reserved zeros after the size make one.
  sniff: ({ head, headLatin1 }) =>
    headLatin1.startsWith("BM") && head.length > 26 && head.subarray(6, 10).every((byte) => byte === 0) ? 1 : 0,
  load,
};

export const gif: Format = {
  name: "gif",
  description: "GIF image",
  extensions: ["gif"],
  mediaTypes: ["image/gif"],
  sniff: startsWith("GIF87a", "GIF89a"),
  load,
};

export const webp: Format = {
  name: "webp",
  description: "WebP image",
  extensions: ["webp"],
  mediaTypes: ["image/webp"],
  sniff: ({ headLatin1 }) => (headLatin1.startsWith("RIFF") && headLatin1.startsWith("WEBP", 8) ? 1 : 0),
  load,
};
