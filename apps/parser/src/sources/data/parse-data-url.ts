import { AppError } from "@attune/service-kit/app-error.ts";
import { type MediaType, parseMediaType } from "../media-type.ts";

export interface DataUrl extends MediaType {
  readonly bytes: Uint8Array;
}

/**
 * Reads `data:[<media type>][;base64],<payload>` (RFC 2397). Base64 may be percent-encoded, broken into lines, in the URL
 * alphabet, and without padding; anything else in it is refused rather than skipped.
 * @throws AppError `FILE_URL_INVALID`
 */
export function parseDataUrl(url: string): DataUrl {
  const comma = url.indexOf(",");
  if (!/^data:/i.test(url) || comma === -1) throw invalid("A data URL needs a comma before its content.");
  const header = url.slice("data:".length, comma);
  if (/\p{Cc}/u.test(header)) throw invalid("The head of the data URL has control characters.");
  const payload = url.slice(comma + 1);
  if (payload.includes("#")) throw invalid("The content of the data URL has a `#`; write it as %23.");
  const isBase64 = /;\s*base64\s*$/i.test(header);
  const bytes = isBase64 ? decodeBase64(payload) : percentDecode(payload);
  return { ...declaredType(header.replace(/;\s*base64\s*$/i, "")), bytes };
}

// Without a media type the standard says text/plain in US-ASCII; nobody who leaves it out means that, so it is no hint.
function declaredType(header: string): MediaType {
  return parseMediaType(header.startsWith(";") ? `text/plain${header}` : header);
}

function decodeBase64(payload: string): Uint8Array {
  const unescaped = payload.includes("%") ? Buffer.from(percentDecode(payload)).toString("latin1") : payload;
  const digits = unescaped.replaceAll(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
  if (!/^[\w+/-]*$/.test(digits) || digits.length % 4 === 1)
    throw invalid("The content of the data URL is not base64.");
  return Buffer.from(digits, "base64");
}

function percentDecode(payload: string): Uint8Array {
  const source = Buffer.from(payload, "utf8");
  if (!payload.includes("%")) return source;
  const bytes = Buffer.allocUnsafe(source.length);
  let length = 0;
  for (let index = 0; index < source.length; index++) {
    const isEscape = source[index] === 0x25;
    const value = isEscape ? (parseHexPair(source, index + 1) ?? NaN) : (source[index] ?? 0);
    if (Number.isNaN(value)) throw invalid("The content of the data URL has a `%` without two hexadecimal digits.");
    bytes[length++] = value;
    if (isEscape) index += 2;
  }
  return bytes.subarray(0, length);
}

function parseHexPair(bytes: Uint8Array, at: number): number | undefined {
  const high = hexDigit(bytes[at]);
  const low = hexDigit(bytes[at + 1]);
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function hexDigit(code: number | undefined): number | undefined {
  if (code === undefined) return undefined;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

function invalid(detail: string): AppError {
  return new AppError("FILE_URL_INVALID", { detail });
}
