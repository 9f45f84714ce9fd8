import { encodingOfCharset, symbolCharset } from "../../text/font-charset.ts";
import { judgeDecoding } from "../../text/judge-decoding.ts";
import { findDecoder } from "../../text/text-decoder.ts";
import { decodeSymbol } from "./symbol-font.ts";

const codePages: Readonly<Record<number, string>> = {
  10000: "macintosh",
  10007: "x-mac-cyrillic",
  1361: "johab",
  65001: "utf-8",
  54936: "gb18030",
};

/** The encoding of an \ansicpg or \cpg number, or undefined when it is unknown. */
export function codePageLabel(page: number): string | undefined {
  const name = codePages[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : `cp${page}`);
  return findDecoder(name)?.label;
}

export interface RtfFont {
  readonly charset: number | undefined;
  readonly codePage: string | undefined;
  readonly name: string;
}

/** Decodes bytes written in a font; `documentLabel` is the encoding of \ansicpg. */
export function decodeInFont(bytes: Uint8Array, font: RtfFont | undefined, documentLabel: string): string {
  if (font?.charset === symbolCharset) return decodeSymbol(bytes, font.name);
  if (bytes.every((byte) => byte < 0x80)) return latin1(bytes);
  const { charset = 1, codePage } = font ?? {};
  if (codePage === undefined && charset === 0) return decodeAnsi(bytes, documentLabel);
  return decodeAs(bytes, codePage ?? encodingOfCharset(charset) ?? documentLabel);
}

// Charset 0 is Windows-1252, but careless writers leave it on fonts whose text is in the code page of the document.
function decodeAnsi(bytes: Uint8Array, documentLabel: string): string {
  const western = decodeAs(bytes, "windows-1252");
  if (documentLabel === "windows-1252") return western;
  const local = decodeAs(bytes, documentLabel);
  const isBetter = judgeDecoding(local).implausibility < judgeDecoding(western).implausibility;
  return isBetter && !local.includes("\u{fffd}") ? local : western;
}

function decodeAs(bytes: Uint8Array, label: string): string {
  return (findDecoder(label) ?? findDecoder("windows-1252"))?.decode(bytes) ?? "";
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
