import { sampleLines } from "./sample-lines.ts";

/** UTF-8 text; `replacedCount` counts the stray bytes of a file that is UTF-8 but for them. */
export interface Utf8Text {
  readonly text: string;
  readonly replacedCount: number;
}

// A legacy text has valid UTF-8 sequences only by chance, a UTF-8 text with a few broken bytes has many.
const minValidPerStray = 20;
const sampleBytes = 1 << 16;

/** The bytes as UTF-8, or undefined when they are rather text of a legacy encoding. */
export function decodeUtf8(bytes: Uint8Array, isPart: boolean): Utf8Text | undefined {
  const strict = decodeStrictly(bytes, isPart);
  if (strict !== undefined) return { text: strict, replacedCount: 0 };
  if (!isMostlyUtf8(new TextDecoder().decode(sampleLines(bytes, sampleBytes)))) return undefined;
  const text = new TextDecoder().decode(bytes, { stream: isPart });
  return isMostlyUtf8(text) ? { text, replacedCount: countSequences(text).strays } : undefined;
}

function isMostlyUtf8(text: string): boolean {
  const { valid, strays } = countSequences(text);
  return valid >= strays * minValidPerStray;
}

function decodeStrictly(bytes: Uint8Array, isPart: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isPart });
  } catch {
    return undefined; // not valid UTF-8
  }
}

function countSequences(text: string): { readonly valid: number; readonly strays: number } {
  let valid = 0;
  let strays = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0xfffd) strays++;
    else if (unit >= 0x80 && (unit < 0xdc00 || unit > 0xdfff)) valid++;
  }
  return { valid, strays };
}
