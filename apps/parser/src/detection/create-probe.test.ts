import { randomFillSync } from "node:crypto";
import { deflateRawSync, gzipSync } from "node:zlib";
import { makeZip } from "@attune/testkit/make-zip.ts";
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

describe("a file on disk", () => {
  const filler = { name: "filler", bytes: Buffer.alloc(32 << 20, 1), method: 0 };
  const archive = makeZip([
    { name: "mimetype", bytes: "application/x-test", method: 0 },
    filler,
    { name: "[Content_Types].xml", bytes: "<Types/>" },
  ]);

  test("is told by its head, its end and its directory, and the rest of it is not read", () => {
    let readBytes = 0;
    const readAt = (offset: number, length: number): Uint8Array => {
      const bytes = archive.subarray(offset, offset + length);
      readBytes += bytes.length;
      return bytes;
    };
    const probe = createProbe({ sizeBytes: archive.length, readAt });
    expect(probe.headText).toBeUndefined();
    expect(probe.zip).toEqual({
      names: new Set(["mimetype", "filler", "[Content_Types].xml"]),
      mimetype: "application/x-test",
      contentTypes: "<Types/>",
    });
    expect(readBytes).toBeLessThan(256 << 10);
  });

  test("is told as the same bytes in memory are", () => {
    const overMemory = createProbe(archive);
    const overFile = createProbe({
      sizeBytes: archive.length,
      readAt: (offset, length) => archive.subarray(offset, offset + length),
    });
    expect(overFile.zip).toEqual(overMemory.zip);
    expect(overFile.headLatin1).toBe(overMemory.headLatin1);
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
