import { AppError } from "@attune/service-kit/app-error.ts";
import type { Budget } from "../limits/budget.ts";
import { decodeText } from "../text/decode-text.ts";

/** What the central directory says of one member. */
export interface ZipDirectoryEntry {
  readonly name: string;
  /** The name as its bytes stand in the file; the local header must have the same. */
  readonly rawName: Buffer;
  readonly isDirectory: boolean;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly sizeBytes: number;
  readonly localHeaderAt: number;
}

const endSignature = 0x06054b50;
const end64LocatorSignature = 0x07064b50;
const end64Signature = 0x06064b50;
const entrySignature = 0x02014b50;
const endBytes = 22;
const entryHeaderBytes = 46;
const localHeaderBytes = 30;
const maxCommentBytes = 0xffff;
const maxNameBytes = 4096;
const maxDirectoryBytes = 16 << 20;
const utf8Flag = 0x800;
const encryptedFlag = 1;

/** Where the directory lies, corrected for bytes that stand before the archive (self-extracting programs). */
interface DirectoryPlace {
  readonly at: number;
  readonly bytes: number;
  readonly count: number;
  readonly shiftBytes: number;
}

/** All members by unique name, in the order of the directory; counted against the budget, checked against overlap. */
export function readZipDirectory(buffer: Buffer, budget: Budget): ReadonlyMap<string, ZipDirectoryEntry> {
  const place = locateDirectory(buffer);
  budget.takeEntries(place.count);
  const rawEntries = readEntries(buffer, place);
  assertNoOverlap(rawEntries);
  return byUniqueName(rawEntries);
}

function locateDirectory(buffer: Buffer): DirectoryPlace {
  const endAt = findEnd(buffer);
  const place = readEnd64(buffer, endAt) ?? {
    count: buffer.readUInt16LE(endAt + 10),
    bytes: buffer.readUInt32LE(endAt + 12),
    statedAt: buffer.readUInt32LE(endAt + 16),
    directoryEnd: endAt,
  };
  const at = place.directoryEnd - place.bytes;
  if (at < 0 || at < place.statedAt) throw corrupt("Its directory lies outside of it.");
  if (place.bytes > maxDirectoryBytes) throw tooLarge();
  return { at, bytes: place.bytes, count: place.count, shiftBytes: at - place.statedAt };
}

// The record at the end, searched backwards over a comment; stray bytes after the archive are tolerated.
function findEnd(buffer: Buffer): number {
  const lowest = Math.max(0, buffer.length - endBytes - maxCommentBytes);
  for (let at = buffer.length - endBytes; at >= lowest; at--) {
    if (buffer[at] === 0x50 && buffer.readUInt32LE(at) === endSignature) return at;
  }
  throw corrupt("It has no directory at its end.");
}

function readEnd64(buffer: Buffer, endAt: number) {
  const locatorAt = endAt - 20;
  if (locatorAt < 0 || buffer.readUInt32LE(locatorAt) !== end64LocatorSignature) return undefined;
  const at = Number(buffer.readBigUInt64LE(locatorAt + 8));
  if (at + 56 > locatorAt || buffer.readUInt32LE(at) !== end64Signature)
    throw corrupt("Its directory lies outside of it.");
  return {
    count: Number(buffer.readBigUInt64LE(at + 32)),
    bytes: Number(buffer.readBigUInt64LE(at + 40)),
    statedAt: Number(buffer.readBigUInt64LE(at + 48)),
    directoryEnd: at,
  };
}

function readEntries(buffer: Buffer, { at: start, bytes, count, shiftBytes }: DirectoryPlace): readonly RawEntry[] {
  const end = start + bytes;
  const entries: RawEntry[] = [];
  for (let at = start; entries.length < count;) {
    if (at + entryHeaderBytes > end || buffer.readUInt32LE(at) !== entrySignature)
      throw corrupt("Its directory is broken.");
    const nameBytes = buffer.readUInt16LE(at + 28);
    const extraBytes = buffer.readUInt16LE(at + 30);
    const nextAt = at + entryHeaderBytes + nameBytes + extraBytes + buffer.readUInt16LE(at + 32);
    if (nextAt > end || nameBytes > maxNameBytes) throw corrupt("Its directory is broken.");
    entries.push(readEntry(buffer.subarray(at, nextAt), { nameBytes, extraBytes, shiftBytes }));
    at = nextAt;
  }
  return entries;
}

type RawEntry = Omit<ZipDirectoryEntry, "name" | "isDirectory"> & { readonly isUtf8: boolean };

interface EntryLengths {
  readonly nameBytes: number;
  readonly extraBytes: number;
  readonly shiftBytes: number;
}

function readEntry(header: Buffer, { nameBytes, extraBytes, shiftBytes }: EntryLengths): RawEntry {
  const flags = header.readUInt16LE(8);
  const nameEnd = entryHeaderBytes + nameBytes;
  const sizes = {
    sizeBytes: header.readUInt32LE(24),
    compressedBytes: header.readUInt32LE(20),
    localHeaderAt: header.readUInt32LE(42),
  };
  const wide = readWideSizes(header.subarray(nameEnd, nameEnd + extraBytes), sizes);
  return {
    ...wide,
    localHeaderAt: wide.localHeaderAt + shiftBytes,
    rawName: header.subarray(entryHeaderBytes, nameEnd),
    isUtf8: (flags & utf8Flag) !== 0,
    isEncrypted: (flags & encryptedFlag) !== 0,
    method: header.readUInt16LE(10),
    crc: header.readUInt32LE(16),
  };
}

type Sizes = Pick<ZipDirectoryEntry, "sizeBytes" | "compressedBytes" | "localHeaderAt">;

// The ZIP64 extra field holds, in this order, those of the three values that did not fit.
function readWideSizes(extra: Buffer, sizes: Sizes): Sizes {
  const wide = { ...sizes };
  const field = findExtra(extra, 0x0001);
  let at = 0;
  for (const key of ["sizeBytes", "compressedBytes", "localHeaderAt"] as const) {
    if (sizes[key] !== 0xffffffff) continue;
    if (field === undefined || at + 8 > field.length) throw corrupt("Its directory is broken.");
    wide[key] = Number(field.readBigUInt64LE(at));
    at += 8;
  }
  return wide;
}

function findExtra(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  }
  return undefined;
}

// Members that share bytes make small files expand without end (https://www.bamsoftware.com/hacks/zipbomb/).
function assertNoOverlap(entries: readonly RawEntry[]): void {
  const ranges = entries
    .map(({ localHeaderAt, compressedBytes, rawName }) => ({
      start: localHeaderAt,
      end: localHeaderAt + localHeaderBytes + rawName.length + compressedBytes,
    }))
    .sort((a, b) => a.start - b.start);
  let reachedEnd = 0;
  for (const { start, end } of ranges) {
    if (start < reachedEnd) throw corrupt("Its members overlap.");
    reachedEnd = end;
  }
}

function byUniqueName(entries: readonly RawEntry[]): ReadonlyMap<string, ZipDirectoryEntry> {
  const encoding = legacyEncoding(entries);
  const named = new Map<string, ZipDirectoryEntry>();
  for (const entry of entries) {
    const stated = decodeName(entry, encoding);
    let name = stated;
    for (let number = 2; named.has(name); number++) name = `${stated} (${number})`;
    named.set(name, { ...entry, name, isDirectory: stated.endsWith("/") });
  }
  return named;
}

function decodeName({ rawName, isUtf8 }: RawEntry, legacy: string): string {
  return decodeText(rawName, { encoding: isUtf8 ? "utf-8" : legacy })
    .text.replaceAll("\\", "/")
    .replaceAll("\0", "");
}

// Names without the UTF-8 flag are in the code page of whoever packed them; all of them together tell which.
function legacyEncoding(entries: readonly RawEntry[]): string {
  const names = entries.filter(({ isUtf8 }) => !isUtf8).map(({ rawName }) => rawName);
  return decodeText(Buffer.concat(names.flatMap((name) => [name, Buffer.from("\n")]))).encoding;
}

function tooLarge(): AppError {
  return new AppError("LIMIT_EXCEEDED", { detail: "The directory of its archive is over 16 MiB." });
}

function corrupt(detail: string): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: `Its ZIP archive cannot be read: ${detail}` });
}
