/** What RTF consists of ([MS-RTF], Rich Text Format 1.9.1). Bytes of text come one by one. */
export type RtfToken =
  | { readonly type: "open" }
  | { readonly type: "close" }
  | { readonly type: "word"; readonly name: string; readonly parameter: number | undefined }
  | { readonly type: "byte"; readonly byte: number };

const backslash = 0x5c;
const maxWordLength = 32;
const maxDigits = 10;

/** Tokens of a file, in order. Linear; lies about lengths end at the end of the file. */
export function* tokenize(bytes: Uint8Array): Generator<RtfToken, void, undefined> {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    if (byte === 0x7b) yield open;
    else if (byte === 0x7d) yield close;
    else if (byte === backslash) {
      const { token, end } = readControl(bytes, at + 1);
      if (token !== undefined) yield token;
      at = end;
      continue;
    } else if (byte !== 0x0a && byte !== 0x0d && byte !== 0) yield { type: "byte", byte };
    at++;
  }
}

const open = { type: "open" } as const;
const close = { type: "close" } as const;

interface Control {
  readonly token: RtfToken | undefined;
  readonly end: number;
}

function readControl(bytes: Uint8Array, at: number): Control {
  const byte = bytes[at];
  if (byte === undefined) return { token: undefined, end: at };
  if (isLetter(byte)) return readWord(bytes, at);
  if (byte === 0x27) return readHex(bytes, at + 1);
  if (byte === backslash || byte === 0x7b || byte === 0x7d) return { token: { type: "byte", byte }, end: at + 1 };
  // A backslash before a line end is a paragraph; other symbols are named by themselves.
  const name = byte === 0x0a || byte === 0x0d ? "par" : String.fromCharCode(byte);
  return { token: { type: "word", name, parameter: undefined }, end: at + 1 };
}

function readHex(bytes: Uint8Array, at: number): Control {
  const digits = String.fromCharCode(bytes[at] ?? 0, bytes[at + 1] ?? 0);
  if (!/^[\da-f]{2}$/i.test(digits)) return { token: undefined, end: at };
  return { token: { type: "byte", byte: Number.parseInt(digits, 16) }, end: at + 2 };
}

function readWord(bytes: Uint8Array, start: number): Control {
  let at = start;
  while (isLetter(bytes[at]) && at - start < maxWordLength) at++;
  const name = latin1(bytes, start, at);
  const digitsAt = at;
  if (bytes[at] === 0x2d) at++;
  while (isDigit(bytes[at]) && at - digitsAt < maxDigits + 1) at++;
  const digits = latin1(bytes, digitsAt, at);
  const parameter = /\d/.test(digits) ? Number(digits) : undefined;
  if (parameter === undefined) at = digitsAt;
  if (bytes[at] === 0x20) at++;
  // The bytes of a picture may look like anything.
  if (name === "bin") at = Math.min(bytes.length, at + Math.max(0, parameter ?? 0));
  return { token: { type: "word", name, parameter }, end: at };
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] as number);
  return text;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a));
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
