import { attributeId } from "./read-attributes.ts";

export function long(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/** A stream of attributes ([MS-OXTNEF] 2.1.3). */
export function makeTnef(attributes: readonly (readonly [id: number, data: Buffer])[]): Buffer {
  const head = Buffer.from("789f3e220100", "hex");
  const written = attributes.map(([id, data]) =>
    Buffer.concat([Buffer.from([1]), long(id), long(data.length), data, Buffer.alloc(2)]),
  );
  return Buffer.concat([head, ...written]);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

const tag = (id: number, type: number): Buffer => long(id * 0x1_0000 + type);

export function wideText(id: number, words: string): Buffer {
  const bytes = Buffer.from(`${words}\0`, "utf16le");
  return Buffer.concat([tag(id, 0x1f), long(1), long(bytes.length), padded(bytes)]);
}

export function narrowText(id: number, bytes: Buffer): Buffer {
  return Buffer.concat([tag(id, 0x1e), long(1), long(bytes.length), padded(bytes)]);
}

export function binary(id: number, bytes: Buffer): Buffer {
  return Buffer.concat([tag(id, 0x102), long(1), long(bytes.length), padded(bytes)]);
}

export function time(id: number, iso: string): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(new Date(iso).getTime() + 11_644_473_600_000) * 10_000n);
  return Buffer.concat([tag(id, 0x40), bytes]);
}

/** Several numbers in a property that has a name. */
export function namedNumbers(name: string, numbers: readonly number[]): Buffer {
  const words = Buffer.from(`${name}\0`, "utf16le");
  return Buffer.concat([
    tag(0x8001, 0x1003),
    Buffer.alloc(16),
    long(1),
    long(words.length),
    padded(words),
    long(numbers.length),
    ...numbers.map(long),
  ]);
}

export function properties(...list: readonly Buffer[]): readonly [number, Buffer] {
  return [attributeId.properties, Buffer.concat([long(list.length), ...list])];
}

/** An attachment with its name, its bytes and properties. */
export function attachment(
  name: string,
  content: Buffer,
  ...list: readonly Buffer[]
): readonly (readonly [number, Buffer])[] {
  return [
    [attributeId.beginAttachment, Buffer.alloc(14)],
    [attributeId.attachmentTitle, Buffer.from(`${name}\0`, "latin1")],
    [attributeId.attachmentData, content],
    [attributeId.attachmentProperties, Buffer.concat([long(list.length), ...list])],
  ];
}
