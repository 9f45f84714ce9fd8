import { hash } from "node:crypto";
import { makeDocStreams } from "@attune/testkit/make-doc.ts";
import { makeCompound } from "@attune/testkit/make-encrypted-package.ts";
import { describe, expect, test } from "vitest";
import { rc4 } from "../../containers/rc4.ts";
import type { Block } from "../../document/document.ts";
import { readMade } from "./read-made.fixture.ts";
import { passwordKey, passwordVerifier } from "./xor-obfuscation.ts";

async function blocksOf(bytes: Buffer, given?: string): Promise<readonly Block[]> {
  return (await readMade(bytes, given === undefined ? {} : { password: given })).blocks;
}

const password = "sésame";
const salt = Buffer.alloc(16, 5);
const verifier = Buffer.alloc(16, 6);
const numberOf = (block: number): Buffer => Buffer.from([block, 0, 0, 0]);
const expected = [{ type: "paragraph", inlines: ["Nobody may read this."] }];

interface Cipher {
  /** The beginning of the table stream. */
  readonly header: Buffer;
  readonly keyOf: (block: number) => Buffer;
}

// [MS-OFFCRYPTO] 2.3.6.
function oldCipher(): Cipher {
  const piece = Buffer.concat([hash("md5", Buffer.from(password, "utf16le"), "buffer").subarray(0, 5), salt]);
  const start = hash("md5", Buffer.concat(Array.from({ length: 16 }, () => piece)), "buffer").subarray(0, 5);
  const keyOf = (block: number): Buffer => hash("md5", Buffer.concat([start, numberOf(block)]), "buffer");
  const sealed = rc4(keyOf(0), Buffer.concat([verifier, hash("md5", verifier, "buffer")]));
  return { header: Buffer.concat([Buffer.from("01000100", "hex"), salt, sealed]), keyOf };
}

// [MS-OFFCRYPTO] 2.3.5.
function newCipher(): Cipher {
  const start = hash("sha1", Buffer.concat([salt, Buffer.from(password, "utf16le")]), "buffer");
  const keyOf = (block: number): Buffer =>
    hash("sha1", Buffer.concat([start, numberOf(block)]), "buffer").subarray(0, 16);
  const sealed = rc4(keyOf(0), Buffer.concat([verifier, hash("sha1", verifier, "buffer")]));
  const description = Buffer.alloc(34);
  description.writeUInt32LE(0x6801, 8);
  description.writeUInt32LE(0x8004, 12);
  description.writeUInt32LE(128, 16);
  const head = Buffer.from("020002000400000022000000", "hex");
  const size = Buffer.from([16, 0, 0, 0]);
  const hashSize = Buffer.from([20, 0, 0, 0]);
  const parts = [head, description, size, salt, sealed.subarray(0, 16), hashSize, sealed.subarray(16)];
  return { header: Buffer.concat(parts), keyOf };
}

function encrypt(bytes: Buffer, { keyOf }: Cipher, clearBytes: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes.length / 512) }, (_, block) =>
    rc4(keyOf(block), bytes.subarray(block * 512, (block + 1) * 512)),
  );
  return Buffer.concat([bytes.subarray(0, clearBytes), Buffer.concat(blocks).subarray(clearBytes)]);
}

function makeEncrypted(cipher: Cipher): Buffer {
  const { WordDocument: main = Buffer.alloc(0), "1Table": table = Buffer.alloc(0) } = makeDocStreams({
    paragraphs: [{ runs: ["Nobody may read this."] }],
  });
  const { header } = cipher;
  // Structures move down behind the header.
  for (let at = 154; at < 154 + 8 * 93; at += 8) main.writeUInt32LE(main.readUInt32LE(at) + header.length, at);
  main.writeUInt16LE(main.readUInt16LE(10) | 0x0100, 10);
  main.writeUInt32LE(header.length, 14);
  return makeCompound([
    ["WordDocument", encrypt(main, cipher, 0x44)],
    ["1Table", encrypt(Buffer.concat([header, table]), cipher, header.length)],
  ]);
}

describe.each([
  ["RC4", makeEncrypted(oldCipher())],
  ["RC4 CryptoAPI", makeEncrypted(newCipher())],
  ["XOR obfuscation", makeObfuscated()],
])("a document under %s", (_, bytes) => {
  test("opens with its password", async () => {
    expect(await blocksOf(bytes, password)).toEqual(expected);
  });

  test("asks for one, and refuses others", async () => {
    await expect(blocksOf(bytes)).rejects.toMatchObject({ reason: "PASSWORD_REQUIRED" });
    await expect(blocksOf(bytes, "other")).rejects.toMatchObject({ reason: "PASSWORD_WRONG" });
  });
});

test("an unknown cipher is named as such", async () => {
  const header = Buffer.from("04000400", "hex");
  const bytes = makeEncrypted({ header, keyOf: () => Buffer.alloc(16, 1) });
  await expect(blocksOf(bytes, password)).rejects.toMatchObject({ reason: "ENCRYPTION_UNSUPPORTED" });
});

// The verifier of a password that every implementation agrees on, and the key of one letter from the tables of
// [MS-OFFCRYPTO] 2.3.7.2: InitialCode[0] with the rows of the bits of "A".
test("keys of the obfuscation are those of its tables", () => {
  expect(passwordVerifier([...Buffer.from("password")])).toBe(0x83af);
  expect(passwordKey([0x41])).toBe(0xe1f0 ^ 0x1021 ^ 0x48c4);
});

function makeObfuscated(): Buffer {
  const { WordDocument: main = Buffer.alloc(0), "1Table": table = Buffer.alloc(0) } = makeDocStreams({
    paragraphs: [{ runs: ["Nobody may read this."] }],
  });
  const characters = [...Buffer.from(password, "latin1")];
  const key = passwordKey(characters);
  main.writeUInt16LE(main.readUInt16LE(10) | 0x8100, 10);
  main.writeUInt16LE(key, 14);
  main.writeUInt16LE(passwordVerifier(characters), 16);
  const padding = [0xbb, 0xff, 0xff, 0xba, 0xff, 0xff, 0xb9, 0x80, 0x00, 0xbe];
  const mask = [...characters, ...padding].map((byte, index) => {
    const mixed = byte ^ (index % 2 === 0 ? key & 0xff : key >> 8);
    return ((mixed << 7) | (mixed >> 1)) & 0xff;
  });
  const obfuscate = (bytes: Buffer, clearBytes: number): Buffer =>
    Buffer.from(
      bytes.map((byte, index) => {
        const sealed = byte ^ (mask[index % 16] ?? 0);
        return index < clearBytes || byte === 0 || sealed === 0 ? byte : sealed;
      }),
    );
  return makeCompound([
    ["WordDocument", obfuscate(main, 0x44)],
    ["1Table", obfuscate(table, 0)],
  ]);
}
