import type { GrayPicture } from "./gray-picture.ts";

const white = 255;

/** Turns a picture about its middle so that lines that fall to the right by these degrees lie level; what comes in from outside is white. */
export function straightenPicture({ width, height, pixels, dpi }: GrayPicture, degrees: number): GrayPicture {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [middleX, middleY] = [(width - 1) / 2, (height - 1) / 2];
  const straight = new Uint8Array(width * height).fill(white);
  for (let y = 0; y < height; y++) {
    let fromX = middleX + (0 - middleX) * cos - (y - middleY) * sin;
    let fromY = middleY + (0 - middleX) * sin + (y - middleY) * cos;
    for (let x = 0; x < width; x++, fromX += cos, fromY += sin) {
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)];
      if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) continue;
      const [across, down] = [fromX - left, fromY - top];
      const at = top * width + left;
      const upper = (pixels[at] as number) * (1 - across) + (pixels[at + 1] as number) * across;
      const lower = (pixels[at + width] as number) * (1 - across) + (pixels[at + width + 1] as number) * across;
      straight[y * width + x] = Math.round(upper * (1 - down) + lower * down);
    }
  }
  return { width, height, pixels: straight, dpi };
}
