import type { GrayPicture } from "./gray-picture.ts";

/** Quarter turns clockwise. */
export type QuarterTurn = 0 | 1 | 2 | 3;

export function turnPicture(picture: GrayPicture, turn: QuarterTurn): GrayPicture {
  if (turn === 0) return picture;
  const { width, height, pixels, dpi } = picture;
  const turned = new Uint8Array(width * height);
  if (turn === 2) {
    turned.set(pixels);
    return { width, height, pixels: turned.reverse(), dpi };
  }
  for (let y = 0; y < height; y++) {
    // To the right: the first row becomes the last column; to the left: the first column, from below.
    let at = turn === 1 ? height - 1 - y : (width - 1) * height + y;
    const step = turn === 1 ? height : -height;
    for (let x = y * width; x < (y + 1) * width; x++, at += step) turned[at] = pixels[x] as number;
  }
  return { width: height, height: width, pixels: turned, dpi };
}

export function mirrorPicture({ width, height, pixels, dpi }: GrayPicture): GrayPicture {
  const mirrored = new Uint8Array(pixels);
  for (let y = 0; y < height; y++) mirrored.subarray(y * width, (y + 1) * width).reverse();
  return { width, height, pixels: mirrored, dpi };
}
