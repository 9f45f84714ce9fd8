const letter = /[\p{L}\p{N}]/u;

/** Letters and digits of a text, of any script. */
export function countLetters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80 ? isAsciiLetter(code) : isOtherLetter(text, code, at)) count++;
  }
  return count;
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}

function isOtherLetter(text: string, code: number, at: number): boolean {
  if (code >= 0xdc00 && code < 0xe000) return false;
  return letter.test(
    code >= 0xd800 && code < 0xdc00 ? String.fromCodePoint(text.codePointAt(at) ?? 0) : (text[at] as string),
  );
}
