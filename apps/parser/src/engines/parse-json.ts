import { AppError } from "@attune/service-kit/app-error.ts";

/** Bounds on JSON that comes from elsewhere; inclusive. */
export const jsonLimits = { maxDepth: 64, maxTokens: 4_000_000 } as const;

const marks = { quote: 0x22, backslash: 0x5c, comma: 0x2c, colon: 0x3a };
const openings: ReadonlySet<number> = new Set(Buffer.from("[{"));
const closings: ReadonlySet<number> = new Set(Buffer.from("]}"));

/**
 * JSON of another service as a value. Before anything is built, one walk over the bytes sees to it that it neither nests so
 * deep nor has so many values that it would take the memory of this process.
 * @throws AppError `ENGINE_FAILED`.
 */
export function parseJson(engine: string, body: Uint8Array): unknown {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isWithinLimits(bytes)) {
    throw new AppError("ENGINE_FAILED", { detail: `${engine} answered with JSON that has too many parts.` });
  }
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new AppError("ENGINE_FAILED", { detail: `${engine} answered with something other than JSON.` }, error);
  }
}

function isWithinLimits(bytes: Buffer): boolean {
  let depth = 0;
  let tokens = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === marks.quote) at = endOfString(bytes, at);
    else if (byte === marks.comma || byte === marks.colon) tokens++;
    else if (openings.has(byte)) {
      depth++;
      tokens++;
    } else if (closings.has(byte)) depth--;
    if (depth > jsonLimits.maxDepth || tokens > jsonLimits.maxTokens) return false;
  }
  return true;
}

function endOfString(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(marks.quote, start + 1); end !== -1; end = bytes.indexOf(marks.quote, end + 1)) {
    let backslashes = 0;
    while (bytes[end - 1 - backslashes] === marks.backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return bytes.length;
}
