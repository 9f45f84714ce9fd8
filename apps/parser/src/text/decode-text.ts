import { detect } from "jschardet";

export interface DecodedText {
  /** Without BOM; line ends as in the file. */
  readonly text: string;
  /** WHATWG label of the encoding used. */
  readonly encoding: string;
  /** Where the encoding came from. */
  readonly origin: "override" | "bom" | "declared" | "utf-8" | "detected";
}

export interface DecodeHints {
  /** Stands above everything: the override `encoding`. */
  readonly encoding?: string;
  /** Charset that came with the file; used when the bytes do not contradict it. */
  readonly charset?: string;
}

/** Decodes text in whatever encoding it is in: override, BOM, valid UTF-8, declared charset, detection, in this order. */
export function decodeText(bytes: Uint8Array, hints: DecodeHints = {}): DecodedText {
  if (hints.encoding !== undefined) return decodeAs(bytes, hints.encoding, "override");
  const bom = bomOf(bytes);
  if (bom !== undefined) return decodeAs(bytes, bom, "bom");
  const utf8 = decodeStrictly(bytes, "utf-8");
  if (utf8 !== undefined) return { text: utf8, encoding: "utf-8", origin: "utf-8" };
  if (hints.charset !== undefined) return decodeAs(bytes, hints.charset, "declared");
  const guess = detect(Buffer.from(bytes.subarray(0, 1 << 18))).encoding ?? "windows-1252";
  return decodeAs(bytes, guess, "detected");
}

function decodeAs(bytes: Uint8Array, label: string, origin: DecodedText["origin"]): DecodedText {
  const decoder = new TextDecoder(label);
  return { text: decoder.decode(bytes), encoding: decoder.encoding, origin };
}

function decodeStrictly(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined; // not valid in this encoding
  }
}

function bomOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return undefined;
}
