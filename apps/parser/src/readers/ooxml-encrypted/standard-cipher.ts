import { createDecipheriv, hash } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { OpenPackage } from "./read-encrypted.ts";

const aesIds: ReadonlyMap<number, number> = new Map([
  [0x660e, 16],
  [0x660f, 24],
  [0x6610, 32],
]);
const spinCount = 50_000;

/** Standard encryption, of Office 2007 ([MS-OFFCRYPTO] 2.3.4.5): AES in ECB mode, SHA-1. */
export function createStandardCipher(description: Buffer, encrypted: Buffer): OpenPackage {
  const headerBytes = description.length >= 12 ? description.readUInt32LE(8) : 0;
  const verifier = description.subarray(12 + headerBytes);
  if (headerBytes < 32 || verifier.length < 72) {
    throw new AppError("DOCUMENT_CORRUPT", { detail: "The description of its encryption is not complete." });
  }
  const keyBytes = aesIds.get(description.readUInt32LE(20));
  if (keyBytes === undefined) throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: "Its cipher is not AES." });
  const salt = verifier.subarray(4, 20);
  return (password) => {
    const key = deriveKey(password, salt).subarray(0, keyBytes);
    const actual = hash("sha1", decrypt(verifier.subarray(20, 36), key), "buffer");
    if (!actual.equals(decrypt(verifier.subarray(40, 72), key).subarray(0, actual.length))) return undefined;
    const body = encrypted.subarray(8);
    const sizeBytes = Number(encrypted.readBigUInt64LE(0));
    return decrypt(body.subarray(0, body.length - (body.length % 16)), key).subarray(0, sizeBytes);
  };
}

function deriveKey(password: string, salt: Buffer): Buffer {
  let digest = hash("sha1", Buffer.concat([salt, Buffer.from(password, "utf16le")]), "buffer");
  for (let count = 0; count < spinCount; count++)
    digest = hash("sha1", Buffer.concat([numberOf(count), digest]), "buffer");
  const last = hash("sha1", Buffer.concat([digest, numberOf(0)]), "buffer");
  return Buffer.concat([mask(last, 0x36), mask(last, 0x5c)]);
}

function mask(digest: Buffer, byte: number): Buffer {
  const block = Buffer.alloc(64, byte);
  for (const [index, value] of digest.entries()) block[index] = byte ^ value;
  return hash("sha1", block, "buffer");
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function decrypt(bytes: Buffer, key: Buffer): Buffer {
  const decipher = createDecipheriv(`aes-${key.length * 8}-ecb`, key, null);
  decipher.setAutoPadding(false);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}
