import type { Box, Turn } from "../page-content.ts";
import type { Pdfium } from "./pdfium.ts";

/** Maps the page's own coordinates (y upwards, any origin) to points from the upper left corner as shown. */
export interface PageFrame {
  readonly width: number;
  readonly height: number;
  /** PDF matrix [a b c d e f] from page space to shown space. */
  readonly matrix: Matrix;
}

export type Matrix = readonly [number, number, number, number, number, number];

export const identity: Matrix = [1, 0, 0, 1, 0, 0];

// ISO 32000-1 annex C.2 allows 14,400 units; some producers go beyond. More than this is no page.
const maxSide = 200_000;
const fallback = { left: 0, bottom: 0, right: 612, top: 792 };

/** Frame of a loaded page; a page whose boxes are not finite is taken as US Letter, as PDFium does for missing ones. */
export function readPageFrame(pdfium: Pdfium, page: number): PageFrame {
  const { left, bottom, right, top } = readBounds(pdfium, page);
  const width = right - left;
  const height = top - bottom;
  switch (pdfium.raw._FPDFPage_GetRotation(page)) {
    case 1:
      return { width: height, height: width, matrix: [0, 1, 1, 0, -bottom, -left] };
    case 2:
      return { width, height, matrix: [-1, 0, 0, 1, right, -bottom] };
    case 3:
      return { width: height, height: width, matrix: [0, -1, -1, 0, top, right] };
    default:
      return { width, height, matrix: [1, 0, 0, -1, -left, top] };
  }
}

function readBounds(pdfium: Pdfium, page: number): typeof fallback {
  if (pdfium.raw._FPDF_GetPageBoundingBox(page, pdfium.scratch) === 0) return fallback;
  const bounds = { left: pdfium.float(0), top: pdfium.float(1), right: pdfium.float(2), bottom: pdfium.float(3) };
  const width = bounds.right - bounds.left;
  const height = bounds.top - bounds.bottom;
  return width > 0 && height > 0 && width <= maxSide && height <= maxSide ? bounds : fallback;
}

/** `inner` first, then `outer`. */
export function multiply(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [a2, b2, c2, d2, e2, f2] = outer;
  return [
    a * a2 + b * c2,
    a * b2 + b * d2,
    c * a2 + d * c2,
    c * b2 + d * d2,
    e * a2 + f * c2 + e2,
    e * b2 + f * d2 + f2,
  ];
}

/** The way back; undefined for a matrix that flattens the plane. */
export function invert([a, b, c, d, e, f]: Matrix): Matrix | undefined {
  const determinant = a * d - b * c;
  if (!Number.isFinite(1 / determinant)) return undefined;
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ];
}

/** The box that encloses a rectangle after a transformation. */
export function transformBox(matrix: Matrix, box: Box): Box {
  const [a, b, c, d, e, f] = matrix;
  const { left, top, right, bottom } = box;
  const [x1, x2, x3, x4] = [
    a * left + c * top + e,
    a * right + c * bottom + e,
    a * left + c * bottom + e,
    a * right + c * top + e,
  ];
  const [y1, y2, y3, y4] = [
    b * left + d * top + f,
    b * right + d * bottom + f,
    b * left + d * bottom + f,
    b * right + d * top + f,
  ];
  return {
    left: Math.min(x1, x2, x3, x4),
    top: Math.min(y1, y2, y3, y4),
    right: Math.max(x1, x2, x3, x4),
    bottom: Math.max(y1, y2, y3, y4),
  };
}

/** Turns the shown page back by quarter turns, so that text written in the direction `turn` stands upright. */
export function turnMatrix(turn: Turn, { width, height }: { readonly width: number; readonly height: number }): Matrix {
  if (turn === 1) return [0, -1, 1, 0, 0, width];
  if (turn === 2) return [-1, 0, 0, -1, width, height];
  if (turn === 3) return [0, 1, -1, 0, height, 0];
  return identity;
}
