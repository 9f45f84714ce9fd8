/**
 * Joins characters of UTF-8 that folding cut in two, as RFC 5545 3.1 allows: a line that goes on with the second byte of a
 * character loses its fold before the bytes are decoded. Other folds stay.
 */
export function joinSplitCharacters(bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    if (!isInsideCharacter(bytes, at)) continue;
    pieces.push(bytes.subarray(from, bytes[at - 1] === carriageReturn ? at - 1 : at));
    from = at + 2;
  }
  return pieces.length === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)]);
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function isInsideCharacter(bytes: Uint8Array, at: number): boolean {
  const [blank, next = 0] = [bytes[at + 1], bytes[at + 2]];
  return (blank === 0x20 || blank === 0x09) && next >= 0x80 && next < 0xc0;
}
