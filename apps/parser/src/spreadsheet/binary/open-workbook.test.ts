import { hash } from "node:crypto";
import { utils, write } from "@e965/xlsx";
import { makeCompound } from "@attune/testkit/make-encrypted-package.ts";
import { expect, test } from "vitest";
import { rc4 } from "../../containers/rc4.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { bookToDocument } from "./book-to-document.ts";
import { findStream } from "./find-stream.ts";

const salt = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");
const filePassBytes = 4 + 54;
const beginningBytes = 20;

/** A workbook encrypted with RC4 as Excel 97 does it ([MS-OFFCRYPTO] 2.3.6). */
async function makeEncrypted(password: string): Promise<Buffer> {
  const book = utils.book_new();
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([["secret", 42], ...Array.from({ length: 300 }, (_, row) => [`row ${row}`])]),
    "S",
  );
  const plain =
    (await findStream(write(book, { type: "buffer", bookType: "biff8" }) as Buffer, ["Workbook"])) ?? Buffer.alloc(0);
  const keyOf = deriveKeys(password);
  const filePass = makeFilePass(keyOf(0));
  const stream = Buffer.concat([plain.subarray(0, beginningBytes), filePass, plain.subarray(beginningBytes)]);
  const streamKey = Buffer.concat(
    Array.from({ length: Math.ceil(stream.length / 1024) }, (_, block) => rc4(keyOf(block), Buffer.alloc(1024))),
  );
  for (let at = 0; at + 4 <= stream.length; at += 4 + stream.readUInt16LE(at + 2)) {
    const type = stream.readUInt16LE(at);
    if (type === 0x0085) stream.writeUInt32LE(stream.readUInt32LE(at + 4) + filePassBytes, at + 4);
    if (type === 0x0809 || type === 0x002f || type === 0x00e1) continue;
    const skipped = type === 0x0085 ? 8 : 4;
    for (let place = at + skipped; place < at + 4 + stream.readUInt16LE(at + 2); place++)
      stream[place] = (stream[place] ?? 0) ^ (streamKey[place] ?? 0);
  }
  return makeCompound([["Workbook", Buffer.concat([stream, Buffer.alloc(4096)])]]);
}

function deriveKeys(password: string): (block: number) => Buffer {
  const piece = Buffer.concat([hash("md5", Buffer.from(password, "utf16le"), "buffer").subarray(0, 5), salt]);
  const start = hash("md5", Buffer.concat(Array.from({ length: 16 }, () => piece)), "buffer").subarray(0, 5);
  return (block) => {
    const number = Buffer.alloc(4);
    number.writeUInt32LE(block);
    return hash("md5", Buffer.concat([start, number]), "buffer");
  };
}

function makeFilePass(key: Buffer): Buffer {
  const verifier = Buffer.alloc(16, 7);
  const verifiers = rc4(key, Buffer.concat([verifier, hash("md5", verifier, "buffer")]));
  return Buffer.concat([Buffer.from("2f003600010001000100", "hex"), salt, verifiers]);
}

const read = (bytes: Uint8Array, password?: string) =>
  bookToDocument(bytes, {
    budget: new Budget(defaultLimits),
    options: { pages: [], ...(password !== undefined && { password }) },
    warn: () => undefined,
  });

test("a workbook encrypted with RC4 opens with its password, and with no other", async () => {
  const bytes = await makeEncrypted("Sesame");

  const { blocks } = await read(bytes, "Sesame");
  expect(JSON.stringify(blocks)).toMatch(/"secret","42".*"row 299"/);
  await expect(read(bytes, "sesame")).rejects.toMatchObject({ reason: "PASSWORD_WRONG" });
  await expect(read(bytes)).rejects.toMatchObject({ reason: "PASSWORD_REQUIRED" });
});

test("a workbook that is only protected against change asks for no password", async () => {
  expect(JSON.stringify((await read(await makeEncrypted("VelvetSweatshop"))).blocks)).toContain("secret");
});

test("descriptions of encryption that are cut short or unknown are refused", async () => {
  const bytes = await makeEncrypted("Sesame");
  const at = bytes.indexOf(Buffer.from("2f0036000100", "hex"));
  const unknown = Buffer.from(bytes);
  unknown.writeUInt16LE(9, at + 8);
  const short = Buffer.from(bytes);
  short.writeUInt16LE(20, at + 2);

  await expect(read(unknown, "Sesame")).rejects.toMatchObject({ reason: "ENCRYPTION_UNSUPPORTED" });
  await expect(read(short, "Sesame")).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
});
