import type { Ink } from "./ink.ts";

/** How the lines of text of a page run. */
export interface Slant {
  /** Whether they run along the longer or shorter side like on an upright page, or up and down. */
  readonly isSideways: boolean;
  /** How clearly: 1 is not at all. */
  readonly certainty: number;
  /** Degrees by which the lines fall to the right (positive) or rise, as the page is, or as it is after a turn to the right. */
  readonly degrees: number;
}

const maxDegrees = 10;
const coarseStep = 0.5;
const fineStep = 0.1;
/** A page is straight enough where straightening it would sharpen its lines by less than this share. */
const minGain = 1.05;

/**
 * Finds the direction in which the ink of a page falls into the sharpest rows: Postl, “Detection of linear oblique
 * structures and skew scan in digitized documents” (1986).
 */
export function findSlant(ink: Ink): Slant {
  const upright = steepest(ink, false);
  const sideways = steepest(ink, true);
  const isSideways = sideways.sharpness > upright.sharpness;
  const [more, less] = isSideways ? [sideways, upright] : [upright, sideways];
  return { isSideways, certainty: less.sharpness === 0 ? 1 : more.sharpness / less.sharpness, degrees: more.degrees };
}

function steepest(ink: Ink, isSideways: boolean): { readonly sharpness: number; readonly degrees: number } {
  const rows = new Float64Array((isSideways ? ink.width : ink.height) + 2 * reach(isSideways ? ink.height : ink.width));
  const straight = sharpnessAt(ink, { degrees: 0, isSideways, rows });
  let best = { sharpness: straight, degrees: 0 };
  const look = (degrees: number) => {
    const sharpness = sharpnessAt(ink, { degrees, isSideways, rows });
    if (sharpness > best.sharpness) best = { sharpness, degrees };
  };
  for (let degrees = -maxDegrees; degrees <= maxDegrees; degrees += coarseStep) look(degrees);
  const coarse = best.degrees;
  for (let step = -4; step <= 4; step++) look(coarse + step * fineStep);
  return best.sharpness < straight * minGain ? { sharpness: straight, degrees: 0 } : best;
}

const reach = (length: number) => Math.ceil(length * Math.tan((maxDegrees * Math.PI) / 180)) + 2;

interface Direction {
  readonly degrees: number;
  readonly isSideways: boolean;
  /** Room for the sums. */
  readonly rows: Float64Array;
}

// Lines that fall to the right lie level after the page is sheared up by as much. A page turned to the right has its left side
// on top, so that x counts down from the right what y counts on the page as it is.
function sharpnessAt({ points, width, height }: Ink, { degrees, isSideways, rows }: Direction): number {
  rows.fill(0);
  const slope = Math.tan((degrees * Math.PI) / 180);
  const base = reach(isSideways ? height : width);
  for (let at = 0; at < points.length; at += 2) {
    const x = points[at] as number;
    const y = points[at + 1] as number;
    const row = isSideways ? x - (height - 1 - y) * slope : y - x * slope;
    (rows[Math.round(row) + base] as number)++;
  }
  let sharpness = 0;
  for (let row = 1; row < rows.length; row++) sharpness += ((rows[row] as number) - (rows[row - 1] as number)) ** 2;
  return sharpness;
}
