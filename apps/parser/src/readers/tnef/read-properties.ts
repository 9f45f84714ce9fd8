import { codePageName } from "../../text/code-page-name.ts";
import { findDecoder } from "../../text/text-decoder.ts";

/** Values of properties by their numbers; named properties and those of several values are left out. */
export type Properties = ReadonlyMap<number, PropertyValue>;
export type PropertyValue = string | number | Date | Buffer;

/** Numbers of properties ([MS-OXPROPS]). */
export const propertyId = {
  subject: 0x0037,
  submittedAt: 0x0039,
  representedName: 0x0042,
  representedAddress: 0x0065,
  deliveredAt: 0x0e06,
  senderName: 0x0c1a,
  senderAddress: 0x0c1f,
  displayCc: 0x0e03,
  displayTo: 0x0e04,
  body: 0x1000,
  compressedRtf: 0x1009,
  html: 0x1013,
  attachedObject: 0x3701,
  attachedName: 0x3704,
  attachedLongName: 0x3707,
  attachedMediaType: 0x370e,
  attachedContentId: 0x3712,
  internetCodePage: 0x3fde,
  isHidden: 0x7ffe,
} as const;

/** Types of values ([MS-OXCDATA] 2.11.1) with the bytes of those of one size, filled up to four ([MS-OXTNEF] 2.1.3.4). */
const types = {
  narrowText: 0x1e,
  wideText: 0x1f,
  binary: 0x102,
  object: 0x0d,
  time: 0x40,
  boolean: 0x0b,
  long: 0x03,
} as const;
const fixedBytes: Readonly<Record<number, number>> = {
  0x02: 4,
  0x03: 4,
  0x04: 4,
  0x05: 8,
  0x06: 8,
  0x07: 8,
  0x0a: 4,
  0x0b: 4,
  0x14: 8,
  0x40: 8,
  0x48: 16,
};
const severalValues = 0x1000;
const firstNamed = 0x8000;

/** The properties of a message or an attachment; what follows a damaged one cannot be read. */
export function readProperties(bytes: Buffer, codePage: string): Properties {
  const reader = new PropertyReader(bytes, codePage);
  const properties = new Map<number, PropertyValue>();
  const count = reader.number();
  for (let index = 0; index < count && reader.hasMore; index++) {
    const [type, id] = [reader.short(), reader.short()];
    if (id >= firstNamed) reader.skipName();
    const values = reader.values(type);
    if (values === undefined) break;
    const [value] = values;
    if (id < firstNamed && value !== undefined && !properties.has(id)) properties.set(id, value);
  }
  return properties;
}

class PropertyReader {
  readonly #bytes: Buffer;
  readonly #codePage: string;
  #at = 0;

  constructor(bytes: Buffer, codePage: string) {
    this.#bytes = bytes;
    this.#codePage = codePage;
  }

  get hasMore(): boolean {
    return this.#at + 4 <= this.#bytes.length;
  }

  number(): number {
    return this.#take(4).readUInt32LE(0);
  }

  short(): number {
    return this.#take(2).readUInt16LE(0);
  }

  /** A property that has a name instead of a number has a set, and a number or a text within it. */
  skipName(): void {
    this.#at += 16;
    const isNumber = this.number() === 0;
    const length = isNumber ? 4 : this.number();
    this.#at += padded(length);
  }

  /** The values of a property, the first one alone when that is all that is asked for; undefined for an unknown type. */
  values(type: number): PropertyValue[] | undefined {
    const kind = type & ~severalValues;
    const isSeveral = (type & severalValues) !== 0;
    const size = fixedBytes[kind];
    if (size !== undefined) {
      const count = isSeveral ? this.number() : 1;
      const first = this.#take(size);
      this.#at += size * Math.max(0, count - 1);
      return count === 0 ? [] : valueOf(kind, first, this.#codePage);
    }
    if (!isVariable(kind)) return undefined;
    return this.#variableValues(kind);
  }

  #variableValues(kind: number): PropertyValue[] {
    const count = this.number();
    const values: PropertyValue[] = [];
    for (let index = 0; index < count && this.hasMore; index++) {
      const length = this.number();
      const data = this.#bytes.subarray(this.#at, this.#at + length);
      this.#at += padded(length);
      if (index === 0) values.push(...valueOf(kind, data, this.#codePage));
    }
    return values;
  }

  // Zeros stand for what lies past the end.
  #take(count: number): Buffer {
    const taken = Buffer.alloc(count);
    if (this.#at < this.#bytes.length) this.#bytes.copy(taken, 0, this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function isVariable(kind: number): boolean {
  return kind === types.narrowText || kind === types.wideText || kind === types.binary || kind === types.object;
}

/** 1601 to 1970 in milliseconds. */
const epochOffsetMs = 11_644_473_600_000;

function valueOf(kind: number, data: Buffer, codePage: string): PropertyValue[] {
  switch (kind) {
    case types.narrowText:
      return [decodeNarrow(data, codePage)];
    case types.wideText:
      return [withoutEnd(data.toString("utf16le"))];
    case types.time:
      return dateOf(Number(data.readBigUInt64LE(0) / 10_000n) - epochOffsetMs);
    case types.long:
    case types.boolean:
      return [data.readUInt32LE(0)];
    case types.binary:
    case types.object:
      return [data];
    default:
      return [];
  }
}

function dateOf(timeMs: number): Date[] {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? [] : [date];
}

/** Text in the code page of the stream, without the zero at its end. */
export function decodeNarrow(data: Buffer, codePage: string): string {
  return withoutEnd((findDecoder(codePage) ?? findDecoder("windows-1252"))?.decode(data) ?? "");
}

function withoutEnd(text: string): string {
  return text.split("\0", 1)[0] ?? "";
}

/** The name of the code page that an attribute gives. */
export function codePageOf(data: Buffer | undefined): string {
  const number = data !== undefined && data.length >= 4 ? data.readUInt32LE(0) : undefined;
  return codePageName(number) ?? "windows-1252";
}
