import type { GrayPicture } from "./gray-picture.ts";

/** The picture at another size: each pixel the mean of those it covers, or between those it lies. */
export function scalePicture(picture: GrayPicture, factor: number): GrayPicture {
  const width = Math.max(1, Math.round(picture.width * factor));
  const height = Math.max(1, Math.round(picture.height * factor));
  if (width === picture.width && height === picture.height) return picture;
  const across = resample(picture.pixels, { lines: picture.height, from: picture.width, to: width, isDown: false });
  const pixels = resample(across, { lines: width, from: picture.height, to: height, isDown: true });
  return { width, height, pixels, dpi: picture.dpi * factor };
}

interface Resampling {
  /** How many rows or columns. */
  readonly lines: number;
  readonly from: number;
  readonly to: number;
  /** Columns, a pixel in each row, rather than rows. */
  readonly isDown: boolean;
}

function resample(pixels: Uint8Array, { lines, from, to, isDown }: Resampling): Uint8Array {
  const scaled = new Uint8Array(lines * to);
  const [step, line] = isDown ? [lines, 1] : [1, from];
  const [scaledStep, scaledLine] = isDown ? [lines, 1] : [1, to];
  // A triangle as wide as the larger of the two pixels: interpolation upwards, averaging downwards.
  const ratio = from / to;
  const reach = Math.max(1, ratio);
  for (let at = 0; at < to; at++) {
    const centre = (at + 0.5) * ratio - 0.5;
    const first = Math.max(0, Math.ceil(centre - reach));
    const last = Math.min(from - 1, Math.floor(centre + reach));
    for (let index = 0; index < lines; index++) {
      let [sum, weights] = [0, 0];
      for (let source = first; source <= last; source++) {
        const weight = 1 - Math.abs(source - centre) / reach;
        sum += weight * (pixels[index * line + source * step] as number);
        weights += weight;
      }
      scaled[index * scaledLine + at * scaledStep] = weights > 0 ? Math.round(sum / weights) : 255;
    }
  }
  return scaled;
}
