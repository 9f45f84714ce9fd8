import { crc32, inflateRawSync } from "node:zlib";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Budget } from "../limits/budget.ts";

export interface ZipEntry {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isEncrypted: boolean;
  readonly sizeBytes: number;
}

/** A ZIP archive held in memory, read member by member within the document's budget. */
export interface ZipArchive {
  /** Members in the order of the directory, by their name with `/`. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /**
   * The bytes of a member, or undefined when there is none of that name.
   * @throws AppError `LIMIT_EXCEEDED`, `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT` (checksum, size, method).
   */
  read(name: string): Uint8Array | undefined;
}

interface DirectoryEntry extends ZipEntry {
  readonly method: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly localHeaderAt: number;
}

/**
 * Opens a ZIP archive without expanding anything.
 * @throws AppError `DOCUMENT_CORRUPT` when the directory cannot be trusted, `LIMIT_EXCEEDED` for too many members.
 */
export function openZip(bytes: Uint8Array, budget: Budget): ZipArchive {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = readDirectory(buffer, budget);
  return {
    entries,
    read: (name) => {
      const entry = entries.get(name);
      return entry && expand(buffer, entry, budget);
    },
  };
}

const endSignature = 0x06054b50;
const directorySignature = 0x02014b50;
const localSignature = 0x04034b50;
const maxDirectoryBytes = 16 << 20;

function readDirectory(buffer: Buffer, budget: Budget): Map<string, DirectoryEntry> {
  const endAt = findEnd(buffer);
  const count = buffer.readUInt16LE(endAt + 10);
  const directoryBytes = buffer.readUInt32LE(endAt + 12);
  const directoryAt = buffer.readUInt32LE(endAt + 16);
  if (directoryAt + directoryBytes > endAt || directoryBytes > maxDirectoryBytes)
    throw corrupt("Its directory lies outside of it.");
  budget.takeEntries(count);
  const entries = new Map<string, DirectoryEntry>();
  for (let at = directoryAt, index = 0; index < count; index++) {
    if (at + 46 > endAt || buffer.readUInt32LE(at) !== directorySignature) throw corrupt("Its directory is broken.");
    const entry = readEntry(buffer, at);
    if (!entries.has(entry.name)) entries.set(entry.name, entry);
    at += 46 + buffer.readUInt16LE(at + 28) + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return entries;
}

function findEnd(buffer: Buffer): number {
  const lowest = Math.max(0, buffer.length - 22 - 0xffff);
  for (let at = buffer.length - 22; at >= lowest; at--) {
    if (buffer.readUInt32LE(at) === endSignature) return at;
  }
  throw corrupt("It has no directory at its end.");
}

function readEntry(buffer: Buffer, at: number): DirectoryEntry {
  const flags = buffer.readUInt16LE(at + 8);
  const nameBytes = buffer.subarray(at + 46, at + 46 + buffer.readUInt16LE(at + 28));
  const name = nameBytes.toString((flags & 0x800) !== 0 ? "utf8" : "latin1").replaceAll("\\", "/");
  return {
    name,
    isDirectory: name.endsWith("/"),
    isEncrypted: (flags & 1) !== 0,
    method: buffer.readUInt16LE(at + 10),
    crc: buffer.readUInt32LE(at + 16),
    compressedBytes: buffer.readUInt32LE(at + 20),
    sizeBytes: buffer.readUInt32LE(at + 24),
    localHeaderAt: buffer.readUInt32LE(at + 42),
  };
}

function expand(buffer: Buffer, entry: DirectoryEntry, budget: Budget): Uint8Array {
  if (entry.isEncrypted)
    throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: "A member of the archive is encrypted." });
  const at = entry.localHeaderAt;
  if (at + 30 > buffer.length || buffer.readUInt32LE(at) !== localSignature)
    throw corrupt("A member lies outside of it.");
  const dataAt = at + 30 + buffer.readUInt16LE(at + 26) + buffer.readUInt16LE(at + 28);
  const packed = buffer.subarray(dataAt, dataAt + entry.compressedBytes);
  const bytes = entry.method === 0 ? packed : inflate(packed, entry, budget);
  budget.takeExpandedBytes(bytes.length);
  if (bytes.length !== entry.sizeBytes || crc32(bytes) !== entry.crc)
    throw corrupt("A member does not match its checksum.");
  return bytes;
}

function inflate(packed: Buffer, entry: DirectoryEntry, budget: Budget): Buffer {
  if (entry.method !== 8) throw corrupt(`A member uses compression method ${entry.method}, which is not supported.`);
  if (entry.sizeBytes > budget.entryAllowanceBytes) budget.takeExpandedBytes(budget.limits.maxExpandedBytes + 1);
  try {
    return inflateRawSync(packed, { maxOutputLength: entry.sizeBytes + 1 });
  } catch (error) {
    throw corrupt("A member cannot be expanded.", error);
  }
}

function corrupt(detail: string, cause?: unknown): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: `Its ZIP archive cannot be read: ${detail}` }, cause);
}
