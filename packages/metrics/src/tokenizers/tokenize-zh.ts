import type { Tokens } from "../ngrams/tokens.ts";
import { stripPython } from "../python/python-text.ts";
import { ascii13aClasses } from "./ascii-13a-classes.ts";
import { charClass, splitMarks } from "./split-marks.ts";

/**
 * sacreBLEU 2.6.0 `tok:zh`: every "Chinese" character is a token, the rest is split as by 13a.
 *
 * Two rows of its table, meant for U+20000…U+2A6D6 and U+2F800…U+2FA1D, are written with four digits and so take in
 * U+2001…U+2A6D instead: dashes, curly quotation marks, "…", "€", "①" and arrows stand alone, and rare ideographs above
 * U+FFFF do not. Scores that are to be compared need the same table, so it stays as it is.
 */
export const tokenizeZh = (text: string): Tokens => splitMarks(stripPython(text), classes);

const chineseRanges: readonly (readonly [first: number, last: number])[] = [
  [0x2001, 0x2a6d],
  [0x2e80, 0x2fdf],
  [0x2ff0, 0x303f],
  [0x3100, 0x312f],
  [0x31a0, 0x31bf],
  [0x31c0, 0x31ef],
  [0x3200, 0x33ff],
  [0x3400, 0x4db5],
  [0x4e00, 0x9fbb],
  [0xf900, 0xfa2d],
  [0xfa30, 0xfa6a],
  [0xfa70, 0xfad9],
  [0xfe10, 0xfe1f],
  [0xfe30, 0xfe4f],
  [0xff00, 0xffef],
];

const classes = { units: chineseClasses() };

function chineseClasses(): Uint8Array {
  const units = ascii13aClasses();
  for (const [first, last] of chineseRanges) {
    // White space among them (U+2009, U+3000) makes no token, with or without spaces around it.
    for (let unit = first; unit <= last; unit++) if (units[unit] === charClass.word) units[unit] = charClass.single;
  }
  return units;
}
