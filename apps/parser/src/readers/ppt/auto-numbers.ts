import type { Bullet } from "../slide-lines.ts";
import { numberAt, shortAt } from "./records.ts";

const masks = { picture: 1 << 23, scheme: 1 << 24, hasScheme: 1 << 25 };
/** Bits of a `TextCFException9` and of a `TextSIException` ([MS-PPT] 2.9.15, 2.9.32) with the bytes that each brings. */
const characterFields = [[1 << 20, 4]] as const;
const specialFields = [
  [1 << 0, 2],
  [1 << 1, 2],
  [1 << 2, 2],
  [1 << 6, 2],
  [1 << 5, 4],
] as const;
const smartTags = 1 << 9;

/**
 * Numbers and pictures in place of bullets, which PowerPoint 2000 brought (`StyleTextProp9Atom`, [MS-PPT] 2.9.67), in the
 * order in which character runs refer to them.
 */
export function readAutoNumbers(atom: Buffer): (Bullet | undefined)[] {
  const bullets: (Bullet | undefined)[] = [];
  for (let at = 0; at + 12 <= atom.length;) {
    const paragraphMasks = numberAt(atom, at) ?? 0;
    at += 4;
    if ((paragraphMasks & masks.picture) !== 0) at += 2;
    const hasNumber = (paragraphMasks & masks.hasScheme) !== 0 && shortAt(atom, at) === 1;
    if ((paragraphMasks & masks.hasScheme) !== 0) at += 2;
    const start = (paragraphMasks & masks.scheme) === 0 ? 1 : (shortAt(atom, at + 2) ?? 1);
    if ((paragraphMasks & masks.scheme) !== 0) at += 4;
    bullets.push(hasNumber ? { kind: "ordered", start: Math.max(1, Math.min(start, 0x7fff)) } : undefined);
    at = skipFields(atom, at, characterFields);
    at = skipSpecial(atom, at);
  }
  return bullets;
}

function skipFields(atom: Buffer, from: number, fields: readonly (readonly [number, number])[]): number {
  const present = numberAt(atom, from) ?? 0;
  return fields.reduce((at, [mask, bytes]) => ((present & mask) === 0 ? at : at + bytes), from + 4);
}

function skipSpecial(atom: Buffer, from: number): number {
  const at = skipFields(atom, from, specialFields);
  const hasTags = ((numberAt(atom, from) ?? 0) & smartTags) !== 0;
  return hasTags ? at + 4 + 4 * Math.min(numberAt(atom, at) ?? 0, atom.length) : at;
}
