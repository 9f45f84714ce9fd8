import { encodingOfCharset, symbolCharset } from "../../text/font-charset.ts";
import { judgeDecoding } from "../../text/judge-decoding.ts";
import { findDecoder } from "../../text/text-decoder.ts";
import { u8 } from "./bytes.ts";
import { encodingOfLanguage } from "./language-encoding.ts";

interface Font {
  readonly name: string;
  readonly charset: number;
}

interface FontSource {
  readonly isWord6: boolean;
  readonly languageId: number;
  /** The override `encoding`. */
  readonly encoding: string | undefined;
}

/** The fonts of a document ([MS-DOC] 2.9.80), and the text of old versions, whose bytes mean what their font says. */
export class Fonts {
  readonly #fonts: readonly Font[];
  readonly #local: string;
  readonly #asked: string | undefined;

  constructor(bytes: Buffer, { isWord6, languageId, encoding }: FontSource) {
    this.#fonts = isWord6 ? readFonts6(bytes) : readFonts97(bytes);
    this.#local = encodingOfLanguage(languageId);
    this.#asked = encoding;
  }

  name(index: number | undefined): string | undefined {
    return index === undefined ? undefined : this.#fonts[index]?.name;
  }

  /** Decodes bytes of Word 6 and 95 that are set in a font. */
  decode(bytes: Buffer, index: number | undefined): string {
    if (isAscii(bytes)) return bytes.toString("latin1");
    if (this.#asked !== undefined) return decodeAs(bytes, this.#asked);
    const charset = index === undefined ? 0 : (this.#fonts[index]?.charset ?? 0);
    if (charset === symbolCharset) return bytes.toString("latin1");
    const own = encodingOfCharset(charset);
    return own === undefined ? this.#decodeLocal(bytes) : decodeAs(bytes, own);
  }

  // Fonts of no special character set have that of the language, unless it makes no sense of the bytes.
  #decodeLocal(bytes: Buffer): string {
    const western = decodeAs(bytes, western1252);
    if (this.#local === western1252) return western;
    const local = decodeAs(bytes, this.#local);
    const isBetter = judgeDecoding(local).implausibility < judgeDecoding(western).implausibility;
    return isBetter && !local.includes("\u{fffd}") ? local : western;
  }
}

const western1252 = "windows-1252";

function decodeAs(bytes: Buffer, label: string): string {
  return (findDecoder(label) ?? findDecoder(western1252))?.decode(bytes) ?? "";
}

function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte < 0x80);
}

// The size of a font's record, without its own byte, stands before each.
function readFonts97(bytes: Buffer): Font[] {
  return readRecords(bytes, 4).map((font) => ({
    name: font.toString("utf16le", Math.min(40, font.length)).split("\0", 1)[0] ?? "",
    charset: u8(font, 4),
  }));
}

function readFonts6(bytes: Buffer): Font[] {
  return readRecords(bytes, 2).map((font) => ({
    name: font.toString("latin1", Math.min(6, font.length)).split("\0", 1)[0] ?? "",
    charset: u8(font, 4),
  }));
}

function readRecords(bytes: Buffer, start: number): Buffer[] {
  const records: Buffer[] = [];
  for (let at = start; at < bytes.length; at += u8(bytes, at) + 1) {
    records.push(bytes.subarray(at, at + u8(bytes, at) + 1));
  }
  return records;
}
