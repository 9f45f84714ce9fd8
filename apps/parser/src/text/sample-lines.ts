/**
 * The lines that have bytes beyond ASCII, up to `maxBytes`: what tells one encoding from another, without the markup and
 * English in between. Cuts only at bytes below 0x30, which are never part of a longer character in any legacy encoding.
 */
export function sampleLines(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length <= maxBytes) return bytes;
  const sample = new Uint8Array(maxBytes);
  let length = 0;
  let at = 0;
  while (at < bytes.length && length < maxBytes) {
    const high = nextHigh(bytes, at);
    if (high === -1) break;
    const start = lineStart(bytes, Math.max(at, high - maxContextBytes), high);
    const end = safeEnd(bytes, high, Math.min(bytes.length, start + maxBytes - length));
    sample.set(bytes.subarray(start, end), length);
    length += end - start;
    at = Math.max(end, high + 1);
  }
  return length === 0 ? bytes.subarray(0, maxBytes) : sample.subarray(0, length);
}

const maxContextBytes = 80;

function nextHigh(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if ((bytes[at] as number) >= 0x80) return at;
  }
  return -1;
}

function lineStart(bytes: Uint8Array, lowest: number, high: number): number {
  for (let at = high - 1; at >= lowest; at--) {
    if (bytes[at] === 0x0a || bytes[at] === 0x0d) return at + 1;
  }
  return lowest;
}

// The end of the line, or of the room left, moved back to a byte that no character spans.
function safeEnd(bytes: Uint8Array, high: number, limit: number): number {
  const newline = bytes.indexOf(0x0a, high);
  if (newline !== -1 && newline < limit) return newline + 1;
  if (limit === bytes.length) return limit;
  for (let at = limit - 1; at > high; at--) {
    if ((bytes[at] as number) < 0x30) return at + 1;
  }
  return limit;
}
