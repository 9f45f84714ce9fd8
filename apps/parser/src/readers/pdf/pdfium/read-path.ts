import type { Background, Rule } from "../page-content.ts";
import { identity, type Matrix, multiply } from "./page-frame.ts";
import type { Pdfium } from "./pdfium.ts";

export interface DrawnPath {
  readonly rules: readonly Rule[];
  readonly background?: Background;
}

/** FPDF_SEGMENT_*, fpdf_edit.h. */
const segmentType = { lineTo: 0, moveTo: 2 };
/** A path of more segments is a drawing, not the lines of a table; one page looks at no more than this of them. */
const maxSegmentsOfPath = 600;
const maxSegmentsOfPage = 60_000;
/** A filled rectangle up to this thick is a line. */
export const maxRuleThickness = 2.5;
export const minRuleLength = 4;

/** A function that reads the axis-parallel lines and the filled area of a path, given its way to shown space. */
export function createPathReader(pdfium: Pdfium): (path: number, toShown: Matrix) => DrawnPath | undefined {
  const { raw } = pdfium;
  let left = maxSegmentsOfPage;

  return (path, toShown) => {
    const count = raw._FPDFPath_CountSegments(path);
    if (count < 2 || count > maxSegmentsOfPath || (left -= count) < 0) return undefined;
    raw._FPDFPath_GetDrawMode(path, pdfium.cell(0), pdfium.cell(1));
    const isFilled = pdfium.int(0) !== 0;
    const isStroked = pdfium.int(1) !== 0;
    if (!isFilled && !isStroked) return undefined;
    const placed = multiply(matrixOf(path), toShown);
    const points = readPoints(path, count, placed);
    if (isFilled)
      return filledShape(points, () => isDarkFill(path)) ?? (isStroked ? { rules: strokes(points) } : undefined);
    return { rules: strokes(points) };
  };

  function matrixOf(path: number): Matrix {
    if (raw._FPDFPageObj_GetMatrix(path, pdfium.scratch) === 0) return identity;
    return [pdfium.float(0), pdfium.float(1), pdfium.float(2), pdfium.float(3), pdfium.float(4), pdfium.float(5)];
  }

  function readPoints(path: number, count: number, [a, b, c, d, e, f]: Matrix): PathPoint[] {
    const points: PathPoint[] = [];
    for (let index = 0; index < count; index++) {
      const segment = raw._FPDFPath_GetPathSegment(path, index);
      raw._FPDFPathSegment_GetPoint(segment, pdfium.cell(0), pdfium.cell(1));
      const x = pdfium.float(0);
      const y = pdfium.float(1);
      const type = raw._FPDFPathSegment_GetType(segment);
      const isClosing = raw._FPDFPathSegment_GetClose(segment) !== 0;
      points.push({ x: a * x + c * y + e, y: b * x + d * y + f, type, isClosing });
    }
    return points;
  }

  function isDarkFill(path: number): boolean {
    const found = raw._FPDFPageObj_GetFillColor(path, pdfium.cell(0), pdfium.cell(1), pdfium.cell(2), pdfium.cell(3));
    return found === 0 || Math.min(pdfium.int(0), pdfium.int(1), pdfium.int(2)) < 235;
  }
}

export interface PathPoint {
  readonly x: number;
  readonly y: number;
  readonly type: number;
  readonly isClosing: boolean;
}

/** Lines along the axes among the segments of a stroked path. */
export function strokes(points: readonly PathPoint[]): Rule[] {
  const rules: Rule[] = [];
  let start = points[0];
  let previous = points[0];
  for (const point of points) {
    if (point.type === segmentType.moveTo) start = point;
    else if (point.type === segmentType.lineTo && previous !== undefined) pushLine(rules, previous, point);
    if (point.isClosing && start !== undefined) pushLine(rules, point, start);
    previous = point;
  }
  return rules;
}

function pushLine(rules: Rule[], from: PathPoint, to: PathPoint): void {
  const width = Math.abs(from.x - to.x);
  const height = Math.abs(from.y - to.y);
  const isHorizontal = height <= 1 && width >= minRuleLength;
  if (!isHorizontal && !(width <= 1 && height >= minRuleLength)) return;
  if (!Number.isFinite(from.x + from.y + to.x + to.y)) return;
  rules.push({ ...boxOf([from, to]), isHorizontal });
}

// Paths made of several rectangles are lines when all of them are thin.
function filledShape(points: readonly PathPoint[], isDark: () => boolean): DrawnPath | undefined {
  const rules: Rule[] = [];
  for (const part of subpaths(points)) {
    const box = boxOf(part);
    const width = box.right - box.left;
    const height = box.bottom - box.top;
    if (!Number.isFinite(width + height)) return undefined;
    if (Math.min(width, height) > maxRuleThickness)
      return { rules: [], background: { ...boxOf(points), isDark: isDark() } };
    if (Math.max(width, height) >= minRuleLength) rules.push({ ...box, isHorizontal: width > height });
  }
  return rules.length === 0 || !isDark() ? undefined : { rules };
}

function subpaths(points: readonly PathPoint[]): PathPoint[][] {
  const parts: PathPoint[][] = [];
  for (const point of points) {
    if (point.type === segmentType.moveTo || parts.length === 0) parts.push([]);
    parts.at(-1)?.push(point);
  }
  return parts.filter((part) => part.length > 1);
}

function boxOf(points: readonly PathPoint[]): { left: number; top: number; right: number; bottom: number } {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}
