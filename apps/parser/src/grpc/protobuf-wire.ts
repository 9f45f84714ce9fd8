/**
 * The little of the protobuf encoding (https://protobuf.dev/programming-guides/encoding) that the service writes and reads by
 * hand: the answer, so that text which is UTF-8 already is not decoded and encoded again, and the request, because the
 * library replaces invalid UTF-8 and accepts truncated messages without a word.
 */
const varintType = 0;
const fixed64Type = 1;
const lengthType = 2;
const fixed32Type = 5;

export interface WireField {
  readonly number: number;
  readonly wireType: number;
  /** The bytes of a length-delimited field; empty for other types, which no message of ours needs. */
  readonly bytes: Uint8Array;
}

/**
 * The fields of a message in order, one at a time, so that what the caller does not keep costs nothing.
 * @throws TypeError with a sentence for the caller when the message is truncated, not protobuf, or has more than `maxFields`.
 */
export function* readFields(message: Uint8Array, maxFields: number): Generator<WireField, void, undefined> {
  let at = 0;
  for (let count = 1; at < message.length; count++) {
    if (count > maxFields) throw new TypeError(`It has more than ${maxFields} fields.`);
    const tag = readVarint(message, at);
    const number = Math.floor((tag?.value ?? 0) / 8);
    const wireType = (tag?.value ?? 0) % 8;
    const end = tag && endOfField(message, tag.end, wireType);
    if (end === undefined || number === 0) throw new TypeError("It is truncated or not protobuf.");
    yield { number, wireType, bytes: message.subarray(end.bodyAt, end.end) };
    at = end.end;
  }
}

function endOfField(message: Uint8Array, at: number, wireType: number): { bodyAt: number; end: number } | undefined {
  if (wireType === varintType) {
    const value = readVarint(message, at);
    return value && { bodyAt: value.end, end: value.end };
  }
  const length = lengthOf(message, at, wireType);
  if (length === undefined || length.bodyAt + length.bytes > message.length) return undefined;
  return { bodyAt: length.bodyAt, end: length.bodyAt + length.bytes };
}

function lengthOf(message: Uint8Array, at: number, wireType: number): { bodyAt: number; bytes: number } | undefined {
  if (wireType === fixed64Type) return { bodyAt: at, bytes: 8 };
  if (wireType === fixed32Type) return { bodyAt: at, bytes: 4 };
  if (wireType !== lengthType) return undefined;
  const length = readVarint(message, at);
  return length && { bodyAt: length.end, bytes: length.value };
}

// Values over 2^53 are no length and no tag of ours; they come out large and fail the bounds that follow.
function readVarint(message: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 10; index++) {
    const byte = message[at + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: at + index + 1 };
  }
  return undefined;
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** A varint field; nothing for the default value 0, as proto3 wants it. */
export function varintField(number: number, value: number): readonly Buffer[] {
  return value === 0 ? [] : [varint(number * 8 + varintType), varint(value)];
}

/** A string, bytes or message field; nothing when empty. The bytes are not copied. */
export function lengthField(number: number, body: Uint8Array | string): readonly Uint8Array[] {
  const bytes = typeof body === "string" ? Buffer.from(body.toWellFormed(), "utf8") : body;
  return bytes.length === 0 ? [] : [varint(number * 8 + lengthType), varint(bytes.length), bytes];
}
