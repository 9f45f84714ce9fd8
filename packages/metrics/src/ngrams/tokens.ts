/**
 * The tokens of a text by their places in it: start and end of each, one after the other, in UTF-16 units. Making a string of
 * each token would take longer than everything else that a metric does.
 */
export interface Tokens {
  readonly text: string;
  readonly bounds: readonly number[];
}

export function toStrings({ text, bounds }: Tokens): string[] {
  const strings: string[] = [];
  for (let at = 0; at < bounds.length; at += 2) strings.push(text.slice(bounds[at], bounds[at + 1]));
  return strings;
}

/** A table of UTF-16 units that marks those of a text with 1. */
export function markUnits(text: string): Uint8Array {
  const marked = new Uint8Array(0x10000);
  for (let at = 0; at < text.length; at++) marked[text.charCodeAt(at)] = 1;
  return marked;
}

export const lowerAlphanumerics = markUnits("abcdefghijklmnopqrstuvwxyz0123456789");

/** The longest runs of UTF-16 units that a table marks with 1. */
export function findRuns(text: string, isIn: Uint8Array): Tokens {
  const bounds: number[] = [];
  let at = 0;
  while (at < text.length) {
    if (isIn[text.charCodeAt(at)] === 0) {
      at++;
      continue;
    }
    bounds.push(at);
    while (at < text.length && isIn[text.charCodeAt(at)] === 1) at++;
    bounds.push(at);
  }
  return { text, bounds };
}
