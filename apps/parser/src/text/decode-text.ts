import { AppError } from "@attune/service-kit/app-error.ts";
import { decodeUtf8 } from "./decode-utf8.ts";
import { detectEncoding } from "./detect-encoding.ts";
import { detectWideEncoding } from "./detect-wide-encoding.ts";
import { findDeclaredCharset } from "./find-declared-charset.ts";
import { countBadCharacters, judgeDecoding } from "./judge-decoding.ts";
import { sampleLines } from "./sample-lines.ts";
import { type EncodingDecoder, findDecoder } from "./text-decoder.ts";

export interface DecodedText {
  /** Without BOM; line ends as in the file. */
  readonly text: string;
  /** WHATWG label of the encoding used, or the name iconv-lite has for one that WHATWG lacks. */
  readonly encoding: string;
  /** Where the encoding came from. */
  readonly origin: "override" | "bom" | "declared" | "utf-8" | "detected";
  /** How many bytes or sequences meant nothing in the encoding and became U+FFFD. */
  readonly replacedCount: number;
}

export interface DecodeHints {
  /** Stands above everything: the override `encoding`. */
  readonly encoding?: string;
  /** Charset that came with the file; without one, the one that the text itself declares counts. Used when the bytes agree. */
  readonly charset?: string;
  /** The bytes are the beginning of a longer file, so that a character cut at their end is no error. */
  readonly isPart?: boolean;
}

/**
 * Decodes text in whatever encoding it is in: override, BOM, UTF-16 and UTF-32 by their zeros, valid UTF-8, declared charset,
 * detection, in this order.
 * @throws AppError `OVERRIDE_INVALID` when the encoding asked for does not exist. Nothing else.
 */
export function decodeText(bytes: Uint8Array, hints: DecodeHints = {}): DecodedText {
  const { encoding, isPart = false } = hints;
  if (encoding !== undefined) return decodeAs(bytes, { decoder: askedDecoder(encoding), origin: "override", isPart });
  const marked = findMarked(bytes);
  if (marked !== undefined) return decodeAs(bytes, { decoder: marked, origin: "bom", isPart });
  const wide = detectWideEncoding(bytes);
  if (wide !== undefined) return decodeAs(bytes, { decoder: wide, origin: "detected", isPart });
  const escaped = findEscaped(bytes);
  if (escaped !== undefined) return decodeAs(bytes, { decoder: escaped, origin: "detected", isPart });
  const utf8 = decodeUtf8(bytes, isPart);
  if (utf8 !== undefined) return { ...utf8, encoding: "utf-8", origin: "utf-8" };
  return decodeLegacy(bytes, hints);
}

function askedDecoder(label: string): EncodingDecoder {
  const decoder = findDecoder(label);
  if (decoder !== undefined) return decoder;
  const name = label.replace(/[^\w.:-]/g, "?").slice(0, 40);
  throw new AppError("OVERRIDE_INVALID", { detail: `There is no encoding named ${name} (override encoding).` });
}

// UTF-32 before UTF-16: its mark begins with the other's.
const marks: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe, 0, 0], "utf-32le"],
  [[0, 0, 0xfe, 0xff], "utf-32be"],
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
  [[0x84, 0x31, 0x95, 0x33], "gb18030"],
];

function findMarked(bytes: Uint8Array): EncodingDecoder | undefined {
  const mark = marks.find(([sequence]) => sequence.every((byte, at) => bytes[at] === byte));
  return mark && findDecoder(mark[1]);
}

// ISO-2022-JP is seven bits wide, so that it is valid UTF-8 too; its escape sequences give it away.
function findEscaped(bytes: Uint8Array): EncodingDecoder | undefined {
  const sample = bytes.subarray(0, maxEscapeSearchBytes);
  if (!sample.includes(0x1b)) return undefined;
  const head = Buffer.from(sample).toString("latin1");
  const isShifted = head.includes("\u001b$B") || head.includes("\u001b$@");
  const isReturned = head.includes("\u001b(B") || head.includes("\u001b(J");
  return isShifted && isReturned ? findDecoder("iso-2022-jp") : undefined;
}

const maxEscapeSearchBytes = 1 << 16;

function decodeLegacy(bytes: Uint8Array, { charset, isPart = false }: DecodeHints): DecodedText {
  const named = charset ?? findDeclaredCharset(bytes);
  const declared = named === undefined ? undefined : findDecoder(named);
  if (declared !== undefined && isBelievable(bytes, declared)) {
    const decoded = decodeAs(bytes, { decoder: declared, origin: "declared", isPart });
    if (decoded.replacedCount === 0) return decoded;
    const guessed = detectEncoding(bytes);
    if (guessed === undefined || guessed.label === declared.label) return decoded;
    const other = decodeAs(bytes, { decoder: guessed, origin: "detected", isPart });
    return other.replacedCount < decoded.replacedCount ? other : decoded;
  }
  const decoder = detectEncoding(bytes) ?? declared ?? lastResort;
  return decodeAs(bytes, { decoder, origin: "detected", isPart });
}

// Gives every byte a character.
const lastResort = findDecoder("windows-1252") as EncodingDecoder;

// A declared charset is not believed when the text it gives cannot be: controls, or letters as no language has them.
function isBelievable(bytes: Uint8Array, decoder: EncodingDecoder): boolean {
  const sample = decoder.decode(sampleLines(bytes, maxJudgedBytes), { isPart: true });
  const { badCount, implausibility } = judgeDecoding(sample);
  return badCount <= sample.length / 200 && implausibility < 0.5;
}

const maxJudgedBytes = 16 * 1024;

interface Decoding {
  readonly decoder: EncodingDecoder;
  readonly origin: DecodedText["origin"];
  readonly isPart: boolean;
}

function decodeAs(bytes: Uint8Array, { decoder, origin, isPart }: Decoding): DecodedText {
  const decoded = decoder.decode(bytes, { isPart });
  const text = decoded.startsWith("\u{feff}") ? decoded.slice(1) : decoded;
  return { text, encoding: decoder.label, origin, replacedCount: countReplaced(text) };
}

function countReplaced(text: string): number {
  return text.includes("\u{fffd}") || /[\u0080-\u009f]/.test(text) ? countBadCharacters(text) : 0;
}
