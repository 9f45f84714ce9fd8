import type { GrayPicture } from "./gray-picture.ts";

/** Dark places of a picture, thinned out: enough of it to tell how its lines run. */
export interface Ink {
  /** Coordinates in cells, x and y by turns. */
  readonly points: Uint16Array;
  readonly width: number;
  readonly height: number;
}

/** Cells along the longer side: text of ten points has lines some eight cells apart. */
const cellsAlong = 640;
const maxPoints = 60_000;

/** The cells of a grid over the picture that are clearly darker than what is around them on the page. */
export function findInk({ width, height, pixels }: GrayPicture): Ink {
  const side = Math.max(1, Math.ceil(Math.max(width, height) / cellsAlong));
  const [columns, rows] = [Math.floor(width / side), Math.floor(height / side)];
  const cells = new Uint8Array(columns * rows);
  const sums = new Float64Array(columns);
  for (let row = 0; row < rows; row++) {
    sums.fill(0);
    for (let y = row * side; y < (row + 1) * side; y++) addRow(sums, pixels.subarray(y * width, (y + 1) * width), side);
    for (let column = 0; column < columns; column++)
      cells[row * columns + column] = (sums[column] as number) / (side * side);
  }
  return { points: darkCells(cells, columns), width: columns, height: rows };
}

function addRow(sums: Float64Array, row: Uint8Array, side: number): void {
  let at = 0;
  for (let column = 0; column < sums.length; column++) {
    let sum = 0;
    for (const end = at + side; at < end; at++) sum += row[at] as number;
    sums[column] = (sums[column] as number) + sum;
  }
}

function darkCells(cells: Uint8Array, columns: number): Uint16Array {
  const threshold = darkBelow(cells);
  let count = 0;
  for (const shade of cells) if (shade < threshold) count++;
  const step = Math.max(1, Math.ceil(count / maxPoints));
  const points = new Uint16Array(2 * Math.ceil(count / step));
  let seen = 0;
  let at = 0;
  for (let cell = 0; cell < cells.length; cell++) {
    if ((cells[cell] as number) >= threshold || seen++ % step !== 0) continue;
    points[at++] = cell % columns;
    points[at++] = Math.floor(cell / columns);
  }
  return points;
}

/** Otsu, “A threshold selection method from gray-level histograms” (1979). */
function darkBelow(cells: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const shade of cells) (counts[shade] as number)++;
  let all = 0;
  for (let shade = 0; shade < 256; shade++) all += shade * (counts[shade] as number);
  let [darkCount, darkSum, best, threshold] = [0, 0, 0, 0];
  for (let shade = 0; shade < 255; shade++) {
    darkCount += counts[shade] as number;
    darkSum += shade * (counts[shade] as number);
    const lightCount = cells.length - darkCount;
    if (darkCount === 0 || lightCount === 0) continue;
    const gap = darkSum / darkCount - (all - darkSum) / lightCount;
    const spread = darkCount * lightCount * gap * gap;
    if (spread > best) [best, threshold] = [spread, shade + 1];
  }
  return threshold;
}
