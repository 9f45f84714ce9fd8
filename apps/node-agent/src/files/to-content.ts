/** Bytes as they are answered. */
export interface Content {
  readonly isText: boolean;
  readonly encoding: "utf-8" | "base64";
  readonly content: string;
  /** Bytes that `content` stands for: a character that the end of the bytes cuts is left to the next part. */
  readonly length: number;
}

/** Text where the bytes are well-formed UTF-8 without NUL, base64 else. */
export function toContent(bytes: Buffer): Content {
  const whole = withoutCutCharacter(bytes);
  const text = whole.length === 0 && bytes.length > 0 ? undefined : decode(whole);
  if (text !== undefined) return { isText: true, encoding: "utf-8", content: text, length: whole.length };
  return { isText: false, encoding: "base64", content: bytes.toString("base64"), length: bytes.length };
}

function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return lengthOfCharacter(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function lengthOfCharacter(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
