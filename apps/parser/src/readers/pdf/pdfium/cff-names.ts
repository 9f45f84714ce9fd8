/** Strings that every font program knows (Adobe Technical Note #5176, appendix A); those of a font are numbered from here. */
const standardStrings = 391;
/** Operators of the top dictionary. */
const charsetOperator = 15;
const encodingOperator = 16;
const charStringsOperator = 17;

/**
 * Names that a CFF font program gives its glyphs, by the codes of its own encoding. Names of the standard list are left out,
 * which PDFium knows. Empty where the bytes are no such program, or it has one of the standard encodings.
 * @param bytes The program, or its beginning.
 */
export function readCffNames(bytes: Buffer): ReadonlyMap<number, string> {
  try {
    return bytes[0] === 1 ? readNames(bytes) : new Map();
  } catch (error) {
    // Reading beyond the bytes there are: a program that is cut or false.
    if (error instanceof RangeError) return new Map();
    throw error;
  }
}

function readNames(bytes: Buffer): ReadonlyMap<number, string> {
  const names = readIndex(bytes, bytes.readUInt8(2));
  const dictionaries = readIndex(bytes, names.end);
  const strings = readIndex(bytes, dictionaries.end);
  const [dictionary] = dictionaries.items;
  if (dictionary === undefined) return new Map();
  const entries = readDictionary(dictionary);
  const [charset = 0, encoding = 0] = [entries.get(charsetOperator), entries.get(encodingOperator)];
  const glyphCount = bytes.readUInt16BE(entries.get(charStringsOperator) ?? 0);
  // Smaller numbers stand for the standard ones.
  if (charset < 3 || encoding < 2) return new Map();
  const identifiers = readCharset(bytes, charset, glyphCount);
  const result = new Map<number, string>();
  for (const [code, glyph] of readEncoding(bytes, encoding)) {
    const name = strings.items[(identifiers[glyph] ?? 0) - standardStrings];
    if (name !== undefined) result.set(code, name.toString("latin1"));
  }
  return result;
}

interface Index {
  readonly items: readonly Buffer[];
  readonly end: number;
}

function readIndex(bytes: Buffer, start: number): Index {
  const count = bytes.readUInt16BE(start);
  if (count === 0) return { items: [], end: start + 2 };
  const size = bytes.readUInt8(start + 2);
  const data = start + 2 + (count + 1) * size;
  const offsetAt = (index: number) => bytes.readUIntBE(start + 3 + index * size, size);
  const items = Array.from({ length: count }, (_, index) =>
    bytes.subarray(data + offsetAt(index), data + offsetAt(index + 1)),
  );
  return { items, end: data + offsetAt(count) };
}

// The last operand of each operator of one byte.
function readDictionary(bytes: Buffer): Map<number, number> {
  const entries = new Map<number, number>();
  let operand = 0;
  for (let at = 0; at < bytes.length;) {
    const first = bytes.readUInt8(at);
    if (first <= 21) {
      if (first !== 12) entries.set(first, operand);
      at += first === 12 ? 2 : 1;
      continue;
    }
    operand = operandAt(bytes, at);
    at += operandSize(bytes, at);
  }
  return entries;
}

function operandAt(bytes: Buffer, at: number): number {
  const first = bytes.readUInt8(at);
  if (first === 28) return bytes.readInt16BE(at + 1);
  if (first === 29) return bytes.readInt32BE(at + 1);
  if (first < 32 || first > 254) return 0;
  if (first < 247) return first - 139;
  const second = bytes.readUInt8(at + 1);
  return first < 251 ? (first - 247) * 256 + second + 108 : -(first - 251) * 256 - second - 108;
}

function operandSize(bytes: Buffer, at: number): number {
  const first = bytes.readUInt8(at);
  if (first === 28) return 3;
  if (first === 29) return 5;
  if (first !== 30) return first >= 247 ? 2 : 1;
  // A real number ends with a half byte of ones.
  let end = at + 1;
  while ((bytes.readUInt8(end) & 15) !== 15) end++;
  return end + 1 - at;
}

function readCharset(bytes: Buffer, start: number, glyphCount: number): number[] {
  const format = bytes.readUInt8(start);
  const identifiers = [0];
  for (let at = start + 1; identifiers.length < glyphCount;) {
    const first = bytes.readUInt16BE(at);
    const left = format === 0 ? 0 : format === 1 ? bytes.readUInt8(at + 2) : bytes.readUInt16BE(at + 2);
    for (let step = 0; step <= left && identifiers.length < glyphCount; step++) identifiers.push(first + step);
    at += format === 0 ? 2 : format === 1 ? 3 : 4;
  }
  return identifiers;
}

/** Pairs of a code and the number of its glyph. */
function readEncoding(bytes: Buffer, start: number): [number, number][] {
  const format = bytes.readUInt8(start) & 127;
  const count = bytes.readUInt8(start + 1);
  if (format === 0) return Array.from({ length: count }, (_, index) => [bytes.readUInt8(start + 2 + index), index + 1]);
  const pairs: [number, number][] = [];
  for (let range = 0; range < count; range++) {
    const first = bytes.readUInt8(start + 2 + range * 2);
    const left = bytes.readUInt8(start + 3 + range * 2);
    for (let step = 0; step <= left; step++) pairs.push([first + step, pairs.length + 1]);
  }
  return pairs;
}
