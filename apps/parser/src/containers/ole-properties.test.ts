import { expect, test } from "vitest";
import type { CompoundStreams } from "./open-compound.ts";
import { readOleProperties } from "./ole-properties.ts";

function streamsWith(stream: Buffer): CompoundStreams {
  return { read: (name) => (name === "\u0005SummaryInformation" ? stream : undefined), readPath: () => undefined };
}

function makeSummary(values: readonly (readonly [id: number, type: number, value: Buffer])[]): Buffer {
  const header = Buffer.alloc(48);
  header.writeUInt32LE(48, 44);
  const table = Buffer.alloc(8 + 8 * values.length);
  table.writeUInt32LE(values.length, 4);
  const bodies: Buffer[] = [];
  let at = table.length;
  for (const [index, [id, type, value]] of values.entries()) {
    const kind = Buffer.alloc(4);
    kind.writeUInt32LE(type);
    table.writeUInt32LE(id, 8 + 8 * index);
    table.writeUInt32LE(at, 12 + 8 * index);
    bodies.push(kind, value);
    at += 4 + value.length;
  }
  return Buffer.concat([header, table, ...bodies]);
}

const long = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const counted = (bytes: Buffer): Buffer => Buffer.concat([long(bytes.length), bytes]);
const time = (iso: string): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(new Date(iso).getTime()) * 10_000n + 116_444_736_000_000_000n);
  return bytes;
};

test("title, author and dates are read in the code page of the file", () => {
  const stream = makeSummary([
    [1, 2, long(1251)],
    [2, 30, counted(Buffer.from("cfeeeff0eee1f3e90000", "hex"))],
    [4, 31, Buffer.concat([long(4), Buffer.from("Ada\0", "utf16le")])],
    [5, 30, counted(Buffer.from("a; b,c\0"))],
    [10, 64, time("1601-01-01T00:05:00Z")],
    [12, 64, time("2001-02-03T04:05:06Z")],
  ]);

  expect(readOleProperties(streamsWith(stream))).toEqual({
    title: "Попробуй",
    authors: ["Ada"],
    keywords: ["a", "b", "c"],
    createdAt: "2001-02-03T04:05:06Z",
  });
});

test("places and lengths outside of the stream are passed over", () => {
  const stream = makeSummary([[2, 30, counted(Buffer.from("fine\0"))]]);

  for (let at = 0; at < stream.length; at++) {
    const lying = Buffer.from(stream);
    lying[at] = 0xff;
    expect(() => readOleProperties(streamsWith(lying))).not.toThrow();
    expect(() => readOleProperties(streamsWith(stream.subarray(0, at)))).not.toThrow();
  }
});
