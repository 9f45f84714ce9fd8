import { inflateRawSync } from "node:zlib";
import type { ZipListing } from "./probe.ts";

const maxNames = 10_000;
const maxPartBytes = 1 << 20;

/** The directory of a ZIP archive, or undefined when the bytes do not begin and end like one. Reads no more than it tells. */
export function listZip(bytes: Uint8Array): ZipListing | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (buffer.length < 22 || buffer.readUInt32LE(0) !== 0x04034b50) return undefined;
  const endAt = findEnd(buffer);
  if (endAt === undefined) return { names: new Set(), mimetype: storedMimetype(buffer), contentTypes: undefined };
  const names = new Set<string>();
  let contentTypes: string | undefined;
  let at = directoryStart(buffer, endAt);
  while (names.size < maxNames && at + 46 <= endAt && buffer.readUInt32LE(at) === 0x02014b50) {
    const nameLength = buffer.readUInt16LE(at + 28);
    const name = buffer.toString("utf8", at + 46, at + 46 + nameLength).replaceAll("\\", "/");
    names.add(name);
    if (name === "[Content_Types].xml") contentTypes = readPart(buffer, at);
    at += 46 + nameLength + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return { names, mimetype: storedMimetype(buffer), contentTypes };
}

function findEnd(buffer: Buffer): number | undefined {
  for (let at = buffer.length - 22; at >= Math.max(0, buffer.length - 22 - 0xffff); at--) {
    if (buffer.readUInt32LE(at) === 0x06054b50) return at;
  }
  return undefined;
}

// As the end record says; in ZIP64 as its own end record says; before the end record when bytes stand in front of the archive.
function directoryStart(buffer: Buffer, endAt: number): number {
  const told = buffer.readUInt32LE(endAt + 16);
  const isThere = told + 4 <= endAt && buffer.readUInt32LE(told) === 0x02014b50;
  if (isThere) return told;
  return zip64DirectoryStart(buffer, endAt) ?? Math.max(0, endAt - buffer.readUInt32LE(endAt + 12));
}

function zip64DirectoryStart(buffer: Buffer, endAt: number): number | undefined {
  const locatorAt = endAt - 20;
  if (locatorAt < 0 || buffer.readUInt32LE(locatorAt) !== 0x07064b50) return undefined;
  const recordAt = Number(buffer.readBigUInt64LE(locatorAt + 8));
  if (recordAt + 56 > buffer.length || buffer.readUInt32LE(recordAt) !== 0x06064b50) return undefined;
  return Number(buffer.readBigUInt64LE(recordAt + 48));
}

function storedMimetype(buffer: Buffer): string | undefined {
  if (buffer.length < 38 || buffer.readUInt16LE(8) !== 0 || buffer.readUInt16LE(26) !== 8) return undefined;
  if (buffer.toString("latin1", 30, 38) !== "mimetype") return undefined;
  const dataAt = 38 + buffer.readUInt16LE(28);
  const size = Math.min(256, buffer.readUInt32LE(18));
  return buffer.toString("latin1", dataAt, dataAt + size).trim();
}

function readPart(buffer: Buffer, directoryAt: number): string | undefined {
  const method = buffer.readUInt16LE(directoryAt + 10);
  const packedBytes = buffer.readUInt32LE(directoryAt + 20);
  const localAt = buffer.readUInt32LE(directoryAt + 42);
  if (localAt + 30 > buffer.length || (buffer.readUInt16LE(directoryAt + 8) & 1) !== 0) return undefined;
  const dataAt = localAt + 30 + buffer.readUInt16LE(localAt + 26) + buffer.readUInt16LE(localAt + 28);
  const packed = buffer.subarray(dataAt, dataAt + packedBytes);
  try {
    return (method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: maxPartBytes })).toString("utf8");
  } catch {
    return undefined; // damaged or too large to be an honest list of types
  }
}
