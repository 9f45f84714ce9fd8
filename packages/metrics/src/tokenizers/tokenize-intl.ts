import type { Tokens } from "../ngrams/tokens.ts";
import { isPythonSpace, stripPythonEnd } from "../python/python-text.ts";
import { charClass, splitMarks } from "./split-marks.ts";

/**
 * sacreBLEU 2.6.0 `tok:intl`, that is mteval-v14.pl: splits at Unicode punctuation unless it stands between two numbers, and
 * at every Unicode symbol. Characters newer than the runtime's Unicode version are parts of words.
 */
export const tokenizeIntl = (text: string): Tokens => {
  units ??= Uint8Array.from({ length: 0x10000 }, (_, unit) => classOfUnit(unit));
  return splitMarks(stripPythonEnd(text), { units, astral: classOf });
};

// Made at the first use: looking at every character takes some milliseconds.
let units: Uint8Array | undefined;

function classOfUnit(unit: number): number {
  if (isPythonSpace(unit)) return charClass.space;
  return unit >= 0xd800 && unit < 0xdc00 ? charClass.lead : classOf(unit);
}

function classOf(point: number): number {
  const character = String.fromCodePoint(point);
  if (/\p{P}/u.test(character)) return charClass.mark;
  if (/\p{S}/u.test(character)) return charClass.single;
  return /\p{N}/u.test(character) ? charClass.digit : charClass.word;
}
