import { findRuns, type Tokens } from "../ngrams/tokens.ts";

/**
 * Text operations as Python 3.11 does them, because the reference implementations are Python: other white space than
 * JavaScript's, and code points instead of UTF-16 units.
 */

/** Whether `str.split()`, `str.strip()` and `\s` of `re` take this UTF-16 unit for white space; U+FEFF and U+200B are none. */
export const isPythonSpace = (unit: number): boolean => spaces[unit] === 1;

// A table, because every character of every text is looked up.
const spaces = new Uint8Array(0x10000);
for (const [first, last] of [
  [0x09, 0x0d],
  [0x1c, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
] as const) {
  spaces.fill(1, first, last + 1);
}
const visible = spaces.map((isSpace) => 1 - isSpace);

/** `text.split()` */
export const findPythonWords = (text: string): Tokens => findRuns(text, visible);

/** `text.rstrip()` */
export function stripPythonEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isPythonSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

/** `text.strip()` */
export function stripPython(text: string): string {
  let start = 0;
  while (start < text.length && isPythonSpace(text.charCodeAt(start))) start++;
  return stripPythonEnd(text.slice(start));
}

/** `[ord(character) for character in text]`: a surrogate without its other half counts as one. */
export const toCodePoints = (text: string): Int32Array => collectPoints(text, false);

/** The same for `"".join(text.split())`: without white space. */
export const toVisibleCodePoints = (text: string): Int32Array => collectPoints(text, true);

function collectPoints(text: string, leavesSpaces: boolean): Int32Array {
  const points = new Int32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) as number;
    if (point > 0xffff) at++;
    else if (leavesSpaces && spaces[point] === 1) continue;
    points[count++] = point;
  }
  return points.subarray(0, count);
}
