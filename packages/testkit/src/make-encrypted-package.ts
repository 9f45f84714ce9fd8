import { createCipheriv, hash } from "node:crypto";

const salt = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");
const secretKey = Buffer.alloc(32, 7);
const spinCount = 1000;

/**
 * An Office package encrypted with a password by agile encryption ([MS-OFFCRYPTO] 2.3.4.10), in the compound file around it.
 * Salts and the secret key are fixed, so that the same package gives the same file.
 */
export function makeEncryptedPackage(bytes: Buffer, password: string): Buffer {
  return makeCompound([
    ["EncryptionInfo", describe(password)],
    ["EncryptedPackage", encryptPackage(bytes)],
  ]);
}

function describe(password: string): Buffer {
  const input = Buffer.alloc(16, 9);
  const seal = (purpose: string, value: Buffer): string =>
    encrypt(value, keyFor(password, purpose), salt).toString("base64");
  const cipher = `saltSize="16" blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512" saltValue="${salt.toString("base64")}"`;
  const xml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><encryption xmlns="http://schemas.microsoft.com/office/2006/encryption" xmlns:p="http://schemas.microsoft.com/office/2006/keyEncryptor/password"><keyData ${cipher}/><keyEncryptors><keyEncryptor uri="http://schemas.microsoft.com/office/2006/keyEncryptor/password"><p:encryptedKey spinCount="${spinCount}" ${cipher} encryptedVerifierHashInput="${seal("fea7d2763b4b9e79", input)}" encryptedVerifierHashValue="${seal("d7aa0f6d3061344e", hash("sha512", input, "buffer"))}" encryptedKeyValue="${seal("146e0be7abacd0d6", secretKey)}"/></keyEncryptor></keyEncryptors></encryption>`;
  const version = Buffer.from("0400040040000000", "hex");
  // Long enough not to be a small stream, which would need a table of its own.
  return Buffer.concat([version, Buffer.from(xml.padEnd(4096, " "))]);
}

function keyFor(password: string, purpose: string): Buffer {
  let digest = hash("sha512", Buffer.concat([salt, Buffer.from(password, "utf16le")]), "buffer");
  for (let count = 0; count < spinCount; count++)
    digest = hash("sha512", Buffer.concat([numberOf(count), digest]), "buffer");
  return hash("sha512", Buffer.concat([digest, Buffer.from(purpose, "hex")]), "buffer").subarray(0, 32);
}

function encryptPackage(bytes: Buffer): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(bytes.length));
  const segments = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, index) => {
    const segment = bytes.subarray(index * 4096, (index + 1) * 4096);
    const iv = hash("sha512", Buffer.concat([salt, numberOf(index)]), "buffer").subarray(0, 16);
    return encrypt(Buffer.concat([segment, Buffer.alloc((16 - (segment.length % 16)) % 16)]), secretKey, iv);
  });
  const body = Buffer.concat(segments);
  return Buffer.concat([size, body, Buffer.alloc(Math.max(0, 4096 - body.length))]);
}

function encrypt(bytes: Buffer, key: Buffer, iv: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-cbc", key, iv);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const sectorBytes = 512;
const none = 0xffffffff;
const end = 0xfffffffe;

/** A compound file ([MS-CFB] version 3) of streams of at least 4096 bytes each. */
export function makeCompound(streams: readonly (readonly [string, Buffer])[]): Buffer {
  const counts = streams.map(([, bytes]) => Math.ceil(bytes.length / sectorBytes));
  const dataCount = 1 + counts.reduce((sum, count) => sum + count, 0);
  const tableCount = Math.ceil((dataCount + 1) / 127);
  const table: number[] = Array.from({ length: tableCount }, () => 0xfffffffd);
  const directoryAt = table.push(end) - 1;
  const starts = counts.map((count) => {
    const start = table.length;
    for (let index = 1; index < count; index++) table.push(start + index);
    table.push(end);
    return start;
  });
  const entries = [
    entryOf({ name: "Root Entry", type: 5, start: end, sizeBytes: 0, child: 1 }),
    ...streams.map(([name, bytes], index) =>
      entryOf({ name, type: 2, start: starts[index] ?? end, sizeBytes: bytes.length, next: index + 2 }),
    ),
  ];
  const tableBytes = Buffer.alloc(tableCount * sectorBytes, 0xff);
  table.forEach((value, index) => tableBytes.writeUInt32LE(value, index * 4));
  return Buffer.concat([
    headerOf(tableCount, directoryAt),
    tableBytes,
    padded(Buffer.concat(entries)),
    ...streams.map(([, bytes]) => padded(bytes)),
  ]);
}

interface DirectoryEntry {
  readonly name: string;
  readonly type: number;
  readonly start: number;
  readonly sizeBytes: number;
  readonly child?: number;
  readonly next?: number;
}

function entryOf({ name, type, start, sizeBytes, child, next }: DirectoryEntry): Buffer {
  const entry = Buffer.alloc(128);
  entry.write(name, "utf16le");
  entry.writeUInt16LE(name.length * 2 + 2, 64);
  entry[66] = type;
  entry.writeUInt32LE(none, 68);
  entry.writeUInt32LE(next === undefined || next > 2 ? none : next, 72);
  entry.writeUInt32LE(child ?? none, 76);
  entry.writeUInt32LE(start, 116);
  entry.writeUInt32LE(sizeBytes, 120);
  return entry;
}

function headerOf(tableCount: number, directoryAt: number): Buffer {
  const header = Buffer.alloc(sectorBytes);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(header);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(tableCount, 44);
  header.writeUInt32LE(directoryAt, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(end, 60);
  header.writeUInt32LE(end, 68);
  header.fill(0xff, 76);
  for (let index = 0; index < tableCount; index++) header.writeUInt32LE(index, 76 + 4 * index);
  return header;
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((sectorBytes - (bytes.length % sectorBytes)) % sectorBytes)]);
}
