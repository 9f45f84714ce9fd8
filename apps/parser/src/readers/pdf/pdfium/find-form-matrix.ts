import { identity, invert, type Matrix, multiply } from "./page-frame.ts";
import type { Pdfium } from "./pdfium.ts";
import type { TextPage } from "./read-glyphs.ts";

/**
 * The matrix that places the form (ISO 32000-1, 8.10) which a text object belongs to; undefined for text of the page itself.
 * An object knows its place in the form, its characters theirs on the page.
 */
export function findFormMatrix(
  { pdfium, pointer }: Pick<TextPage, "pdfium" | "pointer">,
  index: number,
  textObject: number,
): Matrix | undefined {
  if (pdfium.raw._FPDFText_GetMatrix(pointer, index, pdfium.scratch) === 0) return undefined;
  const onPage = readMatrix(pdfium);
  if (pdfium.raw._FPDFPageObj_GetMatrix(textObject, pdfium.scratch) === 0) return undefined;
  const inverse = invert(readMatrix(pdfium));
  const form = inverse && multiply(inverse, onPage);
  return form === undefined || isIdentity(form) ? undefined : form;
}

function readMatrix(pdfium: Pdfium): Matrix {
  return [0, 1, 2, 3, 4, 5].map((index) => pdfium.float(index)) as unknown as Matrix;
}

// Within what is left of numbers of 32 bits.
function isIdentity(matrix: Matrix): boolean {
  return matrix.every((value, index) => Math.abs(value - (identity[index] as number)) < (index < 4 ? 1e-3 : 0.1));
}
