import { inflateRawSync } from "node:zlib";
import type { ZipListing } from "./probe.ts";
import { type RandomAccess, readBuffer } from "./random-access.ts";

// Of records, not of names: records that repeat a name cost as much as others.
const maxRecords = 10_000;
const maxDirectoryBytes = 4 << 20;
const maxPartBytes = 1 << 20;
// Deflate makes what cannot be packed longer by five bytes for each block of it.
const maxPackedBytes = maxPartBytes + (64 << 10);
const endBytes = 22;
const maxCommentBytes = 0xffff;

/** The directory of a ZIP archive, or undefined when the bytes do not begin like one. Reads and works no more than the bounds allow. */
export function listZip(file: RandomAccess): ZipListing | undefined {
  const first = readBuffer(file, 0, 38);
  if (file.sizeBytes < endBytes || first.readUInt32LE(0) !== 0x04034b50) return undefined;
  const mimetype = storedMimetype(file, first);
  const end = findEnd(file);
  if (end === undefined) return { names: new Set(), mimetype, contentTypes: undefined };
  const { names, contentTypesRecord } = readDirectory(file, directoryStart(file, end), end.at);
  return { names, mimetype, contentTypes: contentTypesRecord && readPart(file, contentTypesRecord) };
}

interface EndRecord {
  readonly at: number;
  readonly bytes: Buffer;
}

function findEnd(file: RandomAccess): EndRecord | undefined {
  const tailAt = Math.max(0, file.sizeBytes - endBytes - maxCommentBytes);
  const tail = readBuffer(file, tailAt, file.sizeBytes - tailAt);
  const at = tail.lastIndexOf("PK\x05\x06", tail.length - endBytes, "latin1");
  return at < 0 ? undefined : { at: tailAt + at, bytes: tail.subarray(at) };
}

interface Directory {
  readonly names: ReadonlySet<string>;
  /** Of the first entry so named; a second one is no honest package. */
  readonly contentTypesRecord: Buffer | undefined;
}

function readDirectory(file: RandomAccess, startAt: number, endAt: number): Directory {
  const directory = readBuffer(file, startAt, Math.min(maxDirectoryBytes, endAt - startAt));
  const names = new Set<string>();
  let contentTypesRecord: Buffer | undefined;
  let at = 0;
  for (let count = 0; count < maxRecords && isRecord(directory, at); count++) {
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28);
    const name = directory.toString("utf8", at + 46, nameEnd).replaceAll("\\", "/");
    names.add(name);
    if (name === "[Content_Types].xml") contentTypesRecord ??= directory.subarray(at);
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return { names, contentTypesRecord };
}

function isRecord(directory: Buffer, at: number): boolean {
  return at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02014b50;
}

// As the end record says; in ZIP64 as its own end record says; before the end record when bytes stand in front of the archive.
function directoryStart(file: RandomAccess, end: EndRecord): number {
  const told = end.bytes.readUInt32LE(16);
  const isThere = told + 4 <= end.at && readBuffer(file, told, 4).readUInt32LE(0) === 0x02014b50;
  if (isThere) return told;
  return zip64DirectoryStart(file, end.at) ?? Math.max(0, end.at - end.bytes.readUInt32LE(12));
}

function zip64DirectoryStart(file: RandomAccess, endAt: number): number | undefined {
  const locatorAt = endAt - 20;
  if (locatorAt < 0) return undefined;
  const locator = readBuffer(file, locatorAt, 20);
  if (locator.readUInt32LE(0) !== 0x07064b50) return undefined;
  const recordAt = Number(locator.readBigUInt64LE(8));
  if (recordAt + 56 > file.sizeBytes) return undefined;
  const record = readBuffer(file, recordAt, 56);
  if (record.readUInt32LE(0) !== 0x06064b50) return undefined;
  const startAt = Number(record.readBigUInt64LE(48));
  return startAt <= endAt ? startAt : undefined;
}

function storedMimetype(file: RandomAccess, first: Buffer): string | undefined {
  if (first.length < 38 || first.readUInt16LE(8) !== 0 || first.readUInt16LE(26) !== 8) return undefined;
  if (first.toString("latin1", 30, 38) !== "mimetype") return undefined;
  const dataAt = 38 + first.readUInt16LE(28);
  const size = Math.min(256, first.readUInt32LE(18));
  return readBuffer(file, dataAt, size).toString("latin1").trim();
}

function readPart(file: RandomAccess, record: Buffer): string | undefined {
  const method = record.readUInt16LE(10);
  const packedBytes = record.readUInt32LE(20);
  const localAt = record.readUInt32LE(42);
  const isEncrypted = (record.readUInt16LE(8) & 1) !== 0;
  if (isEncrypted || packedBytes > maxPackedBytes || localAt + 30 > file.sizeBytes) return undefined;
  const local = readBuffer(file, localAt, 30);
  const packed = readBuffer(file, localAt + 30 + local.readUInt16LE(26) + local.readUInt16LE(28), packedBytes);
  if (method === 0) return packedBytes > maxPartBytes ? undefined : packed.toString("utf8");
  try {
    return inflateRawSync(packed, { maxOutputLength: maxPartBytes }).toString("utf8");
  } catch {
    return undefined; // damaged or too large to be an honest list of types
  }
}
