import iconv from "iconv-lite";
import { decodeJohab } from "./decode-johab.ts";

/** Turns bytes of one encoding into text; bytes that mean nothing in it become U+FFFD. */
export interface EncodingDecoder {
  /** WHATWG label where there is one (`windows-1252`), otherwise the name iconv-lite knows (`cp437`). */
  readonly label: string;
  decode(bytes: Uint8Array, options?: DecoderOptions): string;
}

export interface DecoderOptions {
  /** The bytes are the beginning of more: a character that the cut splits is left out instead of replaced. */
  readonly isPart?: boolean;
}

// Names in use that WHATWG does not list, and subsets whose supersets read the same bytes and more.
const aliases: Readonly<Record<string, string>> = {
  ascii: "utf-8",
  "utf-8-sig": "utf-8",
  utf8: "utf-8",
  "utf-16-le": "utf-16le",
  "utf-16-be": "utf-16be",
  "utf-32-le": "utf-32le",
  "utf-32-be": "utf-32be",
  gb2312: "gb18030",
  gbk: "gb18030",
  cp936: "gb18030",
  "euc-cn": "gb18030",
  cp932: "shift_jis",
  shift_jis_2004: "shift_jis",
  euc_jis_2004: "euc-jp",
  cp949: "euc-kr",
  uhc: "euc-kr",
  cp950: "big5",
  cp1361: "johab",
  cp874: "windows-874",
  macroman: "macintosh",
  "mac-roman": "macintosh",
  macintosh: "macintosh",
  maccyrillic: "x-mac-cyrillic",
  "mac-cyrillic": "x-mac-cyrillic",
  maclatin2: "maccenteuro",
  "mac-latin2": "maccenteuro",
  maciceland: "maciceland",
  kz1048: "rk1048",
  "kz-1048": "rk1048",
  ptcp154: "pt154",
};

const replaced = new Set(["replacement", "x-user-defined"]);

/** The decoder for an encoding named in any of the usual ways, or undefined when nobody knows the name. */
export function findDecoder(label: string): EncodingDecoder | undefined {
  const asked = label.trim().toLowerCase();
  const name = aliases[asked] ?? asked;
  if (name === "johab") return { label: "johab", decode: (bytes) => decodeJohab(bytes) };
  return whatwgDecoder(name) ?? iconvDecoder(name);
}

function whatwgDecoder(name: string): EncodingDecoder | undefined {
  const label = whatwgLabel(name);
  if (label === undefined) return undefined;
  return {
    label,
    decode: (bytes, { isPart = false } = {}) => new TextDecoder(label).decode(bytes, { stream: isPart }),
  };
}

function whatwgLabel(name: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(name);
    return replaced.has(encoding) ? undefined : encoding;
  } catch {
    return undefined; // not a WHATWG label
  }
}

function iconvDecoder(name: string): EncodingDecoder | undefined {
  if (name.length > 40 || !/^[a-z0-9_-]+$/.test(name) || !iconv.encodingExists(name)) return undefined;
  if (/^(?:base64|hex|binary|ucs2|internal)/.test(name)) return undefined;
  return {
    label: name,
    decode: (bytes) => iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), name),
  };
}
