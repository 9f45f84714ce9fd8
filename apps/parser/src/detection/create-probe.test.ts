import { randomFillSync } from "node:crypto";
import { deflateRawSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { createProbe } from "./create-probe.ts";

const russian = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n".repeat(20);

describe("headText", () => {
  test.each(["windows-1251", "koi8-r", "cp866", "utf-16le", "utf-16be", "utf-32le", "utf-8"])(
    "text in %s is text",
    (encoding) => {
      expect(createProbe(iconv.encode(russian, encoding)).headText).toBe(russian);
    },
  );

  test("compressed bytes without zeros are no text", () => {
    const packed = deflateRawSync(randomFillSync(Buffer.alloc(20_000))).map((byte) => byte || 0x41);

    expect(createProbe(packed).headText).toBeUndefined();
  });

  test("a gzip file is no text", () => {
    expect(createProbe(gzipSync(russian)).headText).toBeUndefined();
  });

  test("a single zero in a long text does not make it binary", () => {
    const bytes = Buffer.from(`${"a line of words\n".repeat(100)}\0${"more\n".repeat(100)}`);

    expect(createProbe(bytes).headText).toContain("more");
  });

  test("a character that the end of the head splits is left out", () => {
    const text = createProbe(Buffer.from(`a${"語".repeat(40_000)}`)).headText;

    expect(text).toMatch(/^a語+$/u);
  });
});

describe("hostile bytes", () => {
  test("arbitrary bytes never make a probe throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => {
        const probe = createProbe(bytes);
        expect([probe.headText, probe.headLatin1, probe.zip, probe.compound]).toHaveLength(4);
      }),
    );
  });

  test("arbitrary bytes behind the signatures of containers never make a probe throw", () => {
    const compound = Buffer.from("d0cf11e0a1b11ae1", "hex");
    const zip = Buffer.from("504b0304", "hex");
    const end = Buffer.from("504b0506", "hex");
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 600, maxLength: 3000 }), (bytes) => {
        const ole = createProbe(Buffer.concat([compound, bytes])).compound;
        const archive = createProbe(Buffer.concat([zip, bytes, end, bytes.subarray(0, 18)])).zip;
        expect([ole, archive]).not.toContain(undefined);
      }),
    );
  });

  test("a directory chain of a compound file that runs in a circle ends", () => {
    const bytes = Buffer.alloc(512 * 4);
    Buffer.from("d0cf11e0a1b11ae1", "hex").copy(bytes);
    bytes.writeUInt16LE(9, 30);

    expect(createProbe(bytes).compound?.names.size).toBe(0);
  });
});
