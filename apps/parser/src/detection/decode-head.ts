import { decodeText } from "../text/decode-text.ts";
import { detectWideEncoding } from "../text/detect-wide-encoding.ts";

// Of every byte. Text has next to no control characters; compressed bytes have one in nine.
const maxControlShare = 0.01;
// Of every character beyond ASCII, after decoding with the most plausible encoding.
const maxLostShare = 0.04;
// Of every character of UTF-16 or UTF-32: of random bytes, one in 32 is half a character.
const maxHalvedShare = 0.01;
// A file of UTF-8 with this few zeros was damaged or joined carelessly, and is still text.
const maxZeroShare = 0.001;

/** The head of a file as text, or undefined when its bytes are not text in any encoding. Never throws. */
export function decodeHead(head: Uint8Array, isPart: boolean): string | undefined {
  if (head.length === 0) return undefined;
  const isWide = hasWideMark(head) || detectWideEncoding(head) !== undefined;
  if (!isWide && hasBinaryBytes(head)) return undefined;
  const { text, encoding, replacedCount } = decodeText(head, { isPart });
  if (isWide) return replacedCount <= text.length * maxHalvedShare && !hasBinaryCharacters(text) ? text : undefined;
  const limit = encoding === "utf-8" ? text.length : countForeign(text) * maxLostShare;
  return replacedCount <= limit ? text : undefined;
}

function hasWideMark(head: Uint8Array): boolean {
  const isLittle = head[0] === 0xff && head[1] === 0xfe;
  const isBig = head[0] === 0xfe && head[1] === 0xff;
  return isLittle || isBig || (head[0] === 0 && head[1] === 0 && head[2] === 0xfe && head[3] === 0xff);
}

function hasBinaryBytes(head: Uint8Array): boolean {
  let controls = 0;
  let zeros = 0;
  for (const byte of head) {
    if (byte === 0) zeros++;
    else if (isControl(byte)) controls++;
  }
  if (zeros > 0 && (zeros > head.length * maxZeroShare || !isUtf8(head))) return true;
  return controls > head.length * maxControlShare;
}

// ESC, SO and SI switch character sets; SUB ended files of CP/M and DOS.
function isControl(code: number): boolean {
  return code < 0x20 && !(code >= 0x09 && code <= 0x0f) && code !== 0x1b && code !== 0x1a;
}

function isUtf8(head: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function hasBinaryCharacters(text: string): boolean {
  let controls = 0;
  for (let at = 0; at < text.length; at++) {
    if (isControl(text.charCodeAt(at))) controls++;
  }
  return controls > text.length * maxControlShare;
}

function countForeign(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) >= 0x80) count++;
  }
  return count;
}
