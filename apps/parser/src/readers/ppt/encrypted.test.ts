import { hash } from "node:crypto";
import { makeCompound } from "@attune/testkit/make-encrypted-package.ts";
import { expect, test } from "vitest";
import { rc4 } from "../../containers/rc4.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import { drawing, longs, packPresentation, record, shape, text } from "./presentation.fixture.ts";
import { recordType } from "./records.ts";

const salt = Buffer.alloc(16, 5);
const sha1 = (bytes: Buffer): Buffer => hash("sha1", bytes, "buffer");
const read = (bytes: Buffer, password?: string) =>
  readSource(
    { bytes, fileName: "a.ppt", format: "ppt" },
    { pages: [], headersFooters: "drop", images: "placeholder", ...(password !== undefined && { password }) },
    new Budget(defaultLimits),
  );

/** RC4 CryptoAPI ([MS-OFFCRYPTO] 2.3.5.2); keys of 40 bits are filled up with zeros. */
function keysOf(password: string, keyBits: number): (block: number) => Buffer {
  const start = sha1(Buffer.concat([salt, Buffer.from(password, "utf16le")]));
  return (block) => {
    const key = sha1(Buffer.concat([start, longs(block)])).subarray(0, keyBits / 8);
    return keyBits === 40 ? Buffer.concat([key, Buffer.alloc(11)]) : key;
  };
}

function sessionOf(keyOf: (block: number) => Buffer, keyBits: number): Buffer {
  const verifier = Buffer.alloc(16, 9);
  const opened = rc4(keyOf(0), Buffer.concat([verifier, sha1(verifier)]));
  const header = longs(4, 0, 0x6801, 0x8004, keyBits, 1, 0, 0);
  return Buffer.concat([
    longs(0x0002_0002, 4, header.length),
    header,
    longs(16),
    salt,
    opened.subarray(0, 16),
    longs(20),
    opened.subarray(16),
  ]);
}

/** Each object is a block of its own, by the number under which it persists. */
function makeEncrypted(password: string, keyBits: number): Buffer {
  const keyOf = keysOf(password, keyBits);
  const list = record(recordType.slideList, [record(recordType.slidePersist, longs(2, 0, 0, 256, 0))]);
  const slide = record(recordType.slide, [drawing([shape({ box: [0, 0, 9, 9], text: text(4, "secret") })])]);
  const objects = [record(recordType.document, [list]), slide].map((object, index) => rc4(keyOf(index + 1), object));
  const session = record(recordType.encryption, sessionOf(keyOf, keyBits));
  const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = objects;
  const directoryAt = first.length + second.length + session.length;
  const places = longs((3 << 20) | 1, 0, first.length, first.length + second.length);
  const directory = record(recordType.persistDirectory, places);
  const edit = record(recordType.userEdit, longs(0, 0, 0, directoryAt, 1, 0, 0, 3));
  const stream = Buffer.concat([first, second, session, directory, edit]);
  return makeCompound(packPresentation(stream, directoryAt + directory.length));
}

test.each([40, 128])(
  "a presentation encrypted with a key of %d bits opens with its password and no other",
  async (keyBits) => {
    const bytes = makeEncrypted("Sesame", keyBits);

    const { document } = await read(bytes, "Sesame");
    expect(document.blocks).toEqual([
      { type: "pageBreak", number: 1 },
      { type: "paragraph", inlines: ["secret"] },
    ]);
    await expect(read(bytes, "sesame")).rejects.toMatchObject({ reason: "PASSWORD_WRONG" });
    await expect(read(bytes)).rejects.toMatchObject({ reason: "PASSWORD_REQUIRED" });
  },
);
