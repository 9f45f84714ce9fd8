const decoder = new TextDecoder("windows-1252");

/** Text that Word 97 and later keep in one byte per character ([MS-DOC] 2.9.73). */
export function decodeNarrow(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString("latin1") : decoder.decode(bytes);
}

function isAscii(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte >= 0x80) return false;
  return true;
}

/** Text in two bytes per character of Word 95, which keeps what Windows-1252 has for C1 controls from U+1080 on. */
export function decodeWide6(bytes: Buffer): string {
  const text = bytes.toString("utf16le");
  return text.replaceAll(/[\u1080-\u109f]/g, (character) =>
    decodeNarrow(Buffer.from([character.charCodeAt(0) & 0xff])),
  );
}
