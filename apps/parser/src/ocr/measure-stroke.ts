import type { GrayPicture } from "./gray-picture.ts";
import type { OcrLine, PixelBox } from "./parse-hocr.ts";

/** Strokes longer than this share of the line's size lie flat, and say nothing of how thick the letters are drawn. */
const longestStroke = 0.45;
/** Fewer strokes are too few to tell. */
const minStrokes = 40;

/**
 * How thick the upright strokes of a line are, in pixels; undefined where there are too few. A stroke is a run of ink along a row,
 * and as thick as all its shades together, so that a fraction of a pixel counts.
 */
export function measureStroke(picture: GrayPicture, line: OcrLine): number | undefined {
  let [ink, strokes] = [0, 0];
  for (const word of line.words) {
    const { lightest, darkest } = shadesOf(picture, word);
    const range = lightest - darkest;
    if (range < 40) continue;
    const counted = countStrokes(picture, word, { lightest, range, longest: line.size * longestStroke });
    ink += counted.ink;
    strokes += counted.strokes;
  }
  return strokes < minStrokes ? undefined : ink / strokes;
}

interface Shading {
  readonly lightest: number;
  readonly range: number;
  readonly longest: number;
}

function countStrokes({ pixels, width, height }: GrayPicture, box: PixelBox, { lightest, range, longest }: Shading) {
  let [ink, strokes] = [0, 0];
  const right = Math.min(box.right, width);
  for (let y = box.top; y < Math.min(box.bottom, height); y++) {
    let run = 0;
    let peak = 0;
    for (let x = box.left; x <= right; x++) {
      const shade = x < right ? (lightest - (pixels[y * width + x] as number)) / range : 0;
      if (shade > 0.15) {
        run += shade;
        peak = Math.max(peak, shade);
        continue;
      }
      if (peak > 0.5 && run < longest) {
        ink += run;
        strokes++;
      }
      [run, peak] = [0, 0];
    }
  }
  return { ink, strokes };
}

function shadesOf({ pixels, width, height }: GrayPicture, box: PixelBox) {
  let [lightest, darkest] = [0, 255];
  for (let y = box.top; y < Math.min(box.bottom, height); y++) {
    for (let at = y * width + box.left; at < y * width + Math.min(box.right, width); at++) {
      const shade = pixels[at] as number;
      if (shade > lightest) lightest = shade;
      if (shade < darkest) darkest = shade;
    }
  }
  return { lightest, darkest };
}
