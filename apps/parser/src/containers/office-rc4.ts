import { hash } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import { rc4 } from "./rc4.ts";

/** Decrypts what was encrypted as one block; a shorter piece from its beginning decrypts to the beginning of the whole. */
export type DecryptBlock = (bytes: Buffer, block: number) => Buffer;

/** The password of files that Office protects against change and not against reading ([MS-XLS] 2.2.10). */
const defaultPassword = "VelvetSweatshop";

const saltBytes = 16;

/**
 * Opens the encryption of old Office files by the header that describes it, which begins with its version: RC4 CryptoAPI
 * ([MS-OFFCRYPTO] 2.3.5) or RC4 (2.3.6). Without a password the one that hides nothing is tried.
 * @throws AppError `PASSWORD_REQUIRED`, `PASSWORD_WRONG`, `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`.
 */
export function openOfficeRc4(header: Buffer, password: string | undefined): DecryptBlock {
  if (header.length < 4) throw incomplete();
  const [major, minor] = [header.readUInt16LE(0), header.readUInt16LE(2)];
  const isOld = major === 1 && minor === 1;
  if (!isOld && minor !== 2)
    throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: `Its encryption is of version ${major}.${minor}.` });
  const session = isOld ? readOld(header) : readCryptoApi(header);
  const keyOf = session.deriveKeys(Buffer.from(password ?? defaultPassword, "utf16le"));
  const decrypt: DecryptBlock = (bytes, block) => rc4(keyOf(numberOf(block)), bytes);
  const opened = decrypt(session.verifiers, 0);
  const digest = hash(session.hashName, opened.subarray(0, saltBytes), "buffer");
  if (!digest.equals(opened.subarray(saltBytes)))
    throw new AppError(password === undefined ? "PASSWORD_REQUIRED" : "PASSWORD_WRONG");
  return decrypt;
}

interface Session {
  readonly hashName: "md5" | "sha1";
  /** A number and its hash, encrypted one after the other as block 0. */
  readonly verifiers: Buffer;
  readonly deriveKeys: (password: Buffer) => (block: Buffer) => Buffer;
}

const md5Bytes = 16;
const shortKeyBytes = 5;

function readOld(header: Buffer): Session {
  const salt = header.subarray(4, 4 + saltBytes);
  const verifiers = header.subarray(4 + saltBytes, 4 + 2 * saltBytes + md5Bytes);
  if (verifiers.length < saltBytes + md5Bytes) throw incomplete();
  return {
    hashName: "md5",
    verifiers,
    // [MS-OFFCRYPTO] 2.3.6.2
    deriveKeys: (password) => {
      const piece = Buffer.concat([hash("md5", password, "buffer").subarray(0, shortKeyBytes), salt]);
      const pieces = Buffer.concat(Array.from({ length: 16 }, () => piece));
      const start = hash("md5", pieces, "buffer").subarray(0, shortKeyBytes);
      return (block) => hash("md5", Buffer.concat([start, block]), "buffer");
    },
  };
}

const rc4Id = 0x6801;
const sha1Bytes = 20;

function readCryptoApi(bytes: Buffer): Session {
  const headerLength = bytes.length >= 12 ? bytes.readUInt32LE(8) : 0;
  const at = 12 + headerLength + 4;
  if (headerLength < 32 || at + 2 * saltBytes + 4 + sha1Bytes > bytes.length) throw incomplete();
  const [algorithm, keyBits] = [bytes.readUInt32LE(20), bytes.readUInt32LE(28)];
  if ((algorithm !== 0 && algorithm !== rc4Id) || keyBits > 128 || keyBits % 8 !== 0)
    throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: "Its cipher is not RC4." });
  const keyBytes = (keyBits === 0 ? 40 : keyBits) / 8;
  const salt = bytes.subarray(at, at + saltBytes);
  const hashAt = at + 2 * saltBytes + 4;
  return {
    hashName: "sha1",
    verifiers: Buffer.concat([
      bytes.subarray(at + saltBytes, at + 2 * saltBytes),
      bytes.subarray(hashAt, hashAt + sha1Bytes),
    ]),
    // Keys of 40 bits are filled up with zeros to 128 ([MS-OFFCRYPTO] 2.3.5.2).
    deriveKeys: (password) => {
      const start = hash("sha1", Buffer.concat([salt, password]), "buffer");
      return (block) => {
        const key = hash("sha1", Buffer.concat([start, block]), "buffer").subarray(0, keyBytes);
        return keyBytes === shortKeyBytes ? Buffer.concat([key, Buffer.alloc(11)]) : key;
      };
    },
  };
}

function numberOf(block: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(block);
  return bytes;
}

function incomplete(): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: "The description of its encryption is not complete." });
}
