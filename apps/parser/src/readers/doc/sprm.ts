import { u16, u8 } from "./bytes.ts";

/** One change of a property: its code of Word 97 ([MS-DOC] 2.6) and where its operand stands. */
export type VisitSprm = (code: number, bytes: Buffer, at: number) => void;

/** Visits the changes in a group one by one; stops where one reaches beyond the group. */
export function walkSprms(group: Buffer, isWord6: boolean, visit: VisitSprm): void {
  if (isWord6) walkWord6(group, visit);
  else walkWord97(group, visit);
}

function walkWord97(group: Buffer, visit: VisitSprm): void {
  let at = 0;
  while (at + 2 < group.length) {
    const code = u16(group, at);
    const size = operandBytes(code, group, at + 2);
    if (at + 2 + size > group.length) return;
    visit(code, group, at + 2);
    at += 2 + size;
  }
}

const tableDefinition = 0xd608;
const changeTabs = 0xc615;
/** Operand bytes by the upper three bits of the code; 6 stands for a length in the operand. */
const sizes = [1, 1, 2, 4, 2, 2, 0, 3] as const;

function operandBytes(code: number, group: Buffer, at: number): number {
  const size = sizes[code >> 13] ?? 0;
  if (size !== 0) return size;
  if (code === tableDefinition) return u16(group, at) + 1;
  if (code === changeTabs && u8(group, at) === 255) {
    const deletedCount = u8(group, at + 1);
    return 3 + 4 * deletedCount + 3 * u8(group, at + 2 + 4 * deletedCount);
  }
  return u8(group, at) + 1;
}

// Word 6 has codes of one byte, without a size in them (Word 6.0 Binary File Format, "Sprm Definitions"). Those of one
// byte are not listed.
const lengthInByte = -1;
const lengthInWord = -2;
const sizes6 = new Map<number, number>([
  ...[0, 52, 83].map((code) => [code, 0] as const),
  ...[3, 12, 15, 23, 68, 74, 81, 82, 103, 105, 106, 108, 113, 115, 116, 120, 133, 179, 181, 188, 191, 207].map(
    (code) => [code, lengthInByte] as const,
  ),
  ...[64, 77, 79].map((code) => [code, lengthInByte] as const),
  [190, lengthInWord],
  ...[2, 16, 17, 18, 19, 21, 22, 26, 27, 28, 48, 49, 69, 72, 80, 93, 96, 97, 99, 101, 107, 109, 110, 111, 112].map(
    (code) => [code, 2] as const,
  ),
  ...range(30, 36).map((code) => [code, 2] as const),
  ...range(38, 43).map((code) => [code, 2] as const),
  ...range(45, 47).map((code) => [code, 2] as const),
  ...range(121, 124).map((code) => [code, 2] as const),
  ...[140, 141, 144, 145, 148, 149, 154, 155, 156, 157, 160, 161, 182, 183, 184, 189, 195, 197, 198].map(
    (code) => [code, 2] as const,
  ),
  ...range(164, 171).map((code) => [code, 2] as const),
  ...[73, 95, 136, 137].map((code) => [code, 3] as const),
  ...[20, 70, 192, 194, 196, 200].map((code) => [code, 4] as const),
  ...[193, 199].map((code) => [code, 5] as const),
  [187, 12],
]);

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

// Codes of Word 97 for those of Word 6 that say something about text.
const codes97 = new Map<number, number>([
  [2, 0x4600],
  [12, 0xc63e],
  [13, 0x25ff],
  [17, 0x840f],
  [24, 0x2416],
  [25, 0x2417],
  [46, 0x442c],
  [65, 0x0800],
  [66, 0x0801],
  [68, 0x6a03],
  [71, 0x0806],
  [74, 0x6a09],
  [75, 0x080a],
  [80, 0x4a30],
  [83, 0x2a33],
  [85, 0x0835],
  [86, 0x0836],
  [92, 0x083c],
  [93, 0x4a4f],
  [97, 0x4a41],
  [104, 0x2a48],
  [117, 0x0855],
  [118, 0x0856],
  [186, 0x3404],
  [190, 0xd608],
  [192, 0x740a],
  [194, 0x7621],
  [195, 0x5622],
  [197, 0x5624],
  [198, 0x5625],
]);

function walkWord6(group: Buffer, visit: VisitSprm): void {
  let at = 0;
  while (at < group.length) {
    const code = u8(group, at);
    const size = operandBytes6(code, group, at + 1);
    if (at + 1 + size > group.length) return;
    const known = codes97.get(code);
    if (known !== undefined) visit(known, group, at + 1 + prefixBytes6(known));
    at += 1 + size;
  }
}

// The place of a picture and the symbol have their length before them, which those of Word 97 have not.
function prefixBytes6(code: number): number {
  return code === 0x6a03 || code === 0x6a09 ? 1 : 0;
}

function operandBytes6(code: number, group: Buffer, at: number): number {
  const size = sizes6.get(code) ?? 1;
  if (size === lengthInWord) return u16(group, at) + 1;
  if (size !== lengthInByte) return size;
  if (code === 23 && u8(group, at) === 255) {
    const deletedCount = u8(group, at + 1);
    return 3 + 4 * deletedCount + 3 * u8(group, at + 2 + 4 * deletedCount);
  }
  return u8(group, at) + 1;
}
