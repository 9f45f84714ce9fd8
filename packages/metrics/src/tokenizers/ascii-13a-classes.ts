import { isPythonSpace } from "../python/python-text.ts";
import { charClass } from "./split-marks.ts";

/** How mteval-v13a.pl classes UTF-16 units: only ASCII has digits and punctuation, and an apostrophe is a letter. */
export function ascii13aClasses(): Uint8Array {
  const units = new Uint8Array(0x10000);
  for (let unit = 0; unit <= 0xffff; unit++) if (isPythonSpace(unit)) units[unit] = charClass.space;
  for (const mark of '!"#$%&()*+/:;<=>?@[\\]^_`{|}~') units[mark.charCodeAt(0)] = charClass.single;
  for (const digit of "0123456789") units[digit.charCodeAt(0)] = charClass.digit;
  for (const mark of ".,") units[mark.charCodeAt(0)] = charClass.mark;
  units["-".charCodeAt(0)] = charClass.hyphen;
  return units;
}
