/** `wIdent` and `nFib` of Word 1 and of Word 2, which wrote no compound files. */
const beginnings: readonly (readonly number[])[] = [
  [0x9b, 0xa5, 0x21, 0x00],
  [0xdb, 0xa5, 0x2d, 0x00],
];

/** Whether a file begins as those of Word for Windows 1 and 2 do. */
export function isOldWord(bytes: Uint8Array): boolean {
  return beginnings.some((beginning) => beginning.every((byte, index) => bytes[index] === byte));
}
