import { isUtf8 } from "node:buffer";

type EncodingFault = "ENCODING_UTF16" | "ENCODING_GBK" | "ENCODING_NOT_UTF8";

/** Judges the first bytes of a file (at least four, unless it is shorter): UTF-16 and UTF-32 with or without their mark. */
export function detectWideEncoding(start: Uint8Array): EncodingFault | undefined {
  const [first, second] = start;
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || start.subarray(0, 4).includes(0) ? "ENCODING_UTF16" : undefined;
}

/** What bytes are that are not UTF-8; undefined for UTF-8. */
export function detectNarrowEncoding(bytes: Uint8Array): EncodingFault | undefined {
  if (isUtf8(bytes)) return undefined;
  return looksLikeGbk(bytes) ? "ENCODING_GBK" : "ENCODING_NOT_UTF8";
}

// GBK text decodes without a fault, and nearly all of its double bytes are the common Hanzi of GB 2312 (rows 16 to 87).
function looksLikeGbk(bytes: Uint8Array): boolean {
  let text: string;
  try {
    text = new TextDecoder("gb18030", { fatal: true }).decode(bytes);
  } catch {
    return false;
  }
  const wide = text.match(/[^\p{ASCII}]/gu) ?? [];
  const hanzi = wide.filter((char) => /[\u{4e00}-\u{9fff}\u{3000}-\u{303f}\u{ff00}-\u{ffef}]/u.test(char));
  return hanzi.length > 0 && hanzi.length >= wide.length * 0.8;
}
