/** A picture in shades of gray: one byte a pixel, rows from the top, 0 is black and 255 white. */
export interface GrayPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
  /** Pixels per inch; a guess where the file does not tell. */
  readonly dpi: number;
}

/** More pixels than a page of A2 at 200 dpi has: a larger picture is read at a smaller scale. */
export const maxOcrPixels = 16_000_000;
