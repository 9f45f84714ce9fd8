import { expect, test } from "vitest";
import { decodeParseRequest, MalformedRequest } from "./parse-messages.ts";
import { lengthField } from "./protobuf-wire.ts";

const mib = 1 << 20;

function message(...fields: readonly (readonly Uint8Array[])[]): Buffer {
  return Buffer.concat(fields.flat());
}

function entry(key: string, value: string): readonly Uint8Array[] {
  return lengthField(5, message(lengthField(1, key), lengthField(2, value)));
}

function decode(...fields: readonly (readonly Uint8Array[])[]) {
  return decodeParseRequest(message(...fields));
}

test.each([
  ["fields that the service does not know", "7800", "It has more than 1024 fields."],
  ["fields of the wrong type", "0800", "A field has another type than the proto gives it."],
  ["fields without an end", "2a00", "engine_overrides has more than 256 entries."],
  ["empty texts", "1200", "It has more than 1024 fields."],
])("46 MiB of %s cost next to nothing", (_name, hex, detail) => {
  const bytes = Buffer.alloc(46 * mib, Buffer.from(hex, "hex"));
  const before = process.memoryUsage();
  const startedAtMs = performance.now();

  expect(decodeParseRequest(bytes)).toEqual(new MalformedRequest(detail));

  expect(performance.now() - startedAtMs).toBeLessThan(5000);
  expect(process.memoryUsage().heapUsed - before.heapUsed).toBeLessThan(16 * mib);
});

test("fields inside one entry are bounded too", () => {
  const bytes = lengthField(5, Buffer.alloc(46 * mib, Buffer.from("7800", "hex")));
  expect(decode(bytes)).toEqual(new MalformedRequest("It has more than 16 fields."));
});

test("as many overrides of such length as there may be are read", () => {
  const entries = Array.from({ length: 256 }, (_, index) => entry(`${index}`.padEnd(64, "k"), "v".repeat(1000)));
  const longest = entry("0".padEnd(64, "k"), "v".repeat(65_536));
  const decoded = decode(...entries.slice(1), longest);

  expect(decoded).not.toBeInstanceOf(MalformedRequest);
  expect(Object.keys("engineOverrides" in decoded ? decoded.engineOverrides : {}).length).toBe(256);
});

test.each([
  ["a 257th override", Array.from({ length: 257 }, () => entry("k", "v")), /more than 256 entries/],
  ["a key of 65 bytes", [entry("k".repeat(65), "v")], /longer than the 64 bytes/],
  ["a value over 64 KiB", [entry("k", "v".repeat(65_537))], /longer than the 65536 bytes/],
  ["a file name over 64 KiB", [lengthField(2, "n".repeat(65_537))], /longer than the 65536 bytes/],
  ["invalid UTF-8", [lengthField(1, Buffer.from([0xc3, 0x28]))], /not UTF-8/],
  ["a number where text belongs", [[Buffer.from([0x08, 0x01])]], /another type/],
  ["half a field", [[Buffer.from("0a3241", "hex")]], /truncated/],
])("%s makes the request malformed, and it says so", (_name, fields, detail) => {
  expect(decode(...fields)).toMatchObject({ detail: expect.stringMatching(detail) });
});

test("a file_url may be as long as the message", () => {
  expect(decode(lengthField(1, "d".repeat(mib)))).toMatchObject({ fileUrl: "d".repeat(mib) });
});
