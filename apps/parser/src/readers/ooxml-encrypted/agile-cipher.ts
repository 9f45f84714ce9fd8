import { createDecipheriv, hash } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import { walkXml, type XmlAttributes } from "../../xml/walk-xml.ts";
import type { OpenPackage } from "./read-encrypted.ts";

interface CipherParameters {
  readonly salt: Buffer;
  readonly blockBytes: number;
  readonly keyBytes: number;
  readonly hashName: string;
}

interface PasswordParameters extends CipherParameters {
  readonly spinCount: number;
  readonly verifierInput: Buffer;
  readonly verifierHash: Buffer;
  readonly keyValue: Buffer;
}

/** Rounds of hashing that this service is ready to do; Office writes 100,000. */
const maxSpinCount = 1_000_000;
const segmentBytes = 4096;

/** Purposes that keys are derived for ([MS-OFFCRYPTO] 2.3.4.13). */
const blockKeys = {
  verifierInput: Buffer.from("fea7d2763b4b9e79", "hex"),
  verifierHash: Buffer.from("d7aa0f6d3061344e", "hex"),
  keyValue: Buffer.from("146e0be7abacd0d6", "hex"),
};

/** Agile encryption, of Office 2010 and later ([MS-OFFCRYPTO] 2.3.4.10). */
export function createAgileCipher(description: Buffer, encrypted: Buffer): OpenPackage {
  const { data, password: parameters } = readParameters(description.subarray(8).toString("utf8"));
  return (password) => {
    const keyFor = deriveKeys(password, parameters);
    const unlock = (key: Buffer, bytes: Buffer): Buffer => decrypt(bytes, { key, iv: parameters.salt, of: parameters });
    const input = unlock(keyFor(blockKeys.verifierInput), parameters.verifierInput);
    const expected = unlock(keyFor(blockKeys.verifierHash), parameters.verifierHash);
    const actual = hashOf(parameters.hashName, input);
    if (!actual.equals(expected.subarray(0, actual.length))) return undefined;
    const key = unlock(keyFor(blockKeys.keyValue), parameters.keyValue).subarray(0, data.keyBytes);
    return decryptPackage(encrypted, key, data);
  };
}

function readParameters(xml: string): { data: CipherParameters; password: PasswordParameters } {
  let data: CipherParameters | undefined;
  let password: PasswordParameters | undefined;
  const open = (name: string, attributes: XmlAttributes): void => {
    if (name.endsWith("keyData")) data = toParameters(attributes);
    if (!name.endsWith("encryptedKey")) return;
    const bytes = (key: string): Buffer => Buffer.from(attributes.get(key) ?? "", "base64");
    password = {
      ...toParameters(attributes),
      spinCount: Number(attributes.get("spinCount")),
      verifierInput: bytes("encryptedVerifierHashInput"),
      verifierHash: bytes("encryptedVerifierHashValue"),
      keyValue: bytes("encryptedKeyValue"),
    };
  };
  walkXml(xml.replace(/^\uFEFF/, ""), { open }, { maxDepth: 16 });
  if (data === undefined || password === undefined) throw unsupported("It is not protected by a password.");
  if (!(password.spinCount >= 0 && password.spinCount <= maxSpinCount))
    throw unsupported("It asks for too many rounds of hashing.");
  return { data, password };
}

const hashNames: ReadonlyMap<string, string> = new Map([
  ["SHA1", "sha1"],
  ["SHA256", "sha256"],
  ["SHA384", "sha384"],
  ["SHA512", "sha512"],
]);

function toParameters(attributes: XmlAttributes): CipherParameters {
  const hashName = hashNames.get((attributes.get("hashAlgorithm") ?? "").replace("-", "").toUpperCase());
  const keyBytes = Number(attributes.get("keyBits")) / 8;
  const isKnown = attributes.get("cipherAlgorithm") === "AES" && attributes.get("cipherChaining") === "ChainingModeCBC";
  if (hashName === undefined || !isKnown || ![16, 24, 32].includes(keyBytes))
    throw unsupported("Its cipher is not AES in CBC mode.");
  return { salt: Buffer.from(attributes.get("saltValue") ?? "", "base64"), blockBytes: 16, keyBytes, hashName };
}

function deriveKeys(
  password: string,
  { salt, spinCount, keyBytes, hashName }: PasswordParameters,
): (purpose: Buffer) => Buffer {
  let digest = hashOf(hashName, Buffer.concat([salt, Buffer.from(password, "utf16le")]));
  const round = Buffer.alloc(4 + digest.length);
  for (let count = 0; count < spinCount; count++) {
    round.writeUInt32LE(count, 0);
    digest.copy(round, 4);
    digest = hashOf(hashName, round);
  }
  return (purpose) => fit(hashOf(hashName, Buffer.concat([digest, purpose])), keyBytes);
}

function decryptPackage(encrypted: Buffer, key: Buffer, data: CipherParameters): Buffer {
  const sizeBytes = Number(encrypted.readBigUInt64LE(0));
  const body = encrypted.subarray(8);
  const segments: Buffer[] = [];
  for (let at = 0, index = 0; at + data.blockBytes <= body.length; at += segmentBytes, index++) {
    const number = Buffer.alloc(4);
    number.writeUInt32LE(index);
    const iv = hashOf(data.hashName, Buffer.concat([data.salt, number]));
    const segment = body.subarray(at, Math.min(at + segmentBytes, body.length));
    segments.push(
      decrypt(segment.subarray(0, segment.length - (segment.length % data.blockBytes)), { key, iv, of: data }),
    );
  }
  return Buffer.concat(segments).subarray(0, sizeBytes);
}

interface CipherUse {
  readonly key: Buffer;
  readonly iv: Buffer;
  readonly of: CipherParameters;
}

function decrypt(bytes: Buffer, { key, iv, of }: CipherUse): Buffer {
  const decipher = createDecipheriv(`aes-${of.keyBytes * 8}-cbc`, key, fit(iv, of.blockBytes));
  decipher.setAutoPadding(false);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}

// Keys and vectors too short are filled up with 0x36.
function fit(bytes: Buffer, length: number): Buffer {
  return bytes.length >= length
    ? bytes.subarray(0, length)
    : Buffer.concat([bytes, Buffer.alloc(length - bytes.length, 0x36)]);
}

function hashOf(name: string, bytes: Buffer): Buffer {
  return hash(name, bytes, "buffer");
}

function unsupported(detail: string): AppError {
  return new AppError("ENCRYPTION_UNSUPPORTED", { detail });
}
