import { crc32, inflateRawSync, zstdDecompressSync } from "node:zlib";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Budget } from "../limits/budget.ts";
import { readZipDirectory, type ZipDirectoryEntry } from "./zip-directory.ts";

export interface ZipEntry {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isEncrypted: boolean;
  readonly sizeBytes: number;
}

/** A ZIP archive held in memory, read member by member within the document's budget. */
export interface ZipArchive {
  /**
   * Members in the order of the directory, by their name with `/`. Of several members of one name the first has it, and
   * the others have a number added, so that none is lost.
   */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /**
   * The bytes of a member, or undefined when there is none of that name.
   * @throws AppError `LIMIT_EXCEEDED`, `ENCRYPTION_UNSUPPORTED`, `UNSUPPORTED_FILE_TYPE` (method of compression),
   *   `DOCUMENT_CORRUPT` (name, size or checksum differ from what the directory says).
   */
  read(name: string): Uint8Array | undefined;
}

/**
 * Opens a ZIP archive without expanding anything; the format is PKWARE's APPNOTE 6.3.10.
 * @throws AppError `DOCUMENT_CORRUPT` when the directory cannot be trusted (broken, members that overlap),
 *   `LIMIT_EXCEEDED` for too many members.
 */
export function openZip(bytes: Uint8Array, budget: Budget): ZipArchive {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = readZipDirectory(buffer, budget);
  return {
    entries,
    read: (name) => {
      const entry = entries.get(name);
      return entry && expand(buffer, entry, budget);
    },
  };
}

const localSignature = 0x04034b50;
const localHeaderBytes = 30;
/** Deflate cannot do better (https://zlib.net/zlib_tech.html). */
const maxDeflateRatio = 1032;
const methods = { stored: 0, deflated: 8, zstandard: 93 } as const;

function expand(buffer: Buffer, entry: ZipDirectoryEntry, budget: Budget): Uint8Array {
  if (entry.isEncrypted)
    throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: "A member of the archive is encrypted." });
  if (entry.sizeBytes > budget.entryAllowanceBytes) {
    throw new AppError("LIMIT_EXCEEDED", {
      detail: "A member of an archive expands too far (PARSER_MAX_ENTRY_MIB, PARSER_MAX_EXPANDED_MIB).",
    });
  }
  const bytes = decompress(packedBytes(buffer, entry), entry);
  budget.takeExpandedBytes(bytes.length);
  if (bytes.length !== entry.sizeBytes) throw corruptZip("A member is not as long as the directory says.");
  if (crc32(bytes) !== entry.crc) throw corruptZip("A member does not match its checksum.");
  return bytes;
}

function packedBytes(buffer: Buffer, entry: ZipDirectoryEntry): Buffer {
  const at = entry.localHeaderAt;
  const isHeader = at + localHeaderBytes <= buffer.length && buffer.readUInt32LE(at) === localSignature;
  if (!isHeader) throw corruptZip("A member lies outside of it.");
  const nameEnd = at + localHeaderBytes + buffer.readUInt16LE(at + 26);
  if (!buffer.subarray(at + localHeaderBytes, nameEnd).equals(entry.rawName)) {
    throw corruptZip("A member has two names.");
  }
  const dataAt = nameEnd + buffer.readUInt16LE(at + 28);
  if (dataAt + entry.compressedBytes > buffer.length) throw corruptZip("A member is cut off.");
  return buffer.subarray(dataAt, dataAt + entry.compressedBytes);
}

function decompress(packed: Buffer, { method, sizeBytes }: ZipDirectoryEntry): Uint8Array {
  if (method === methods.stored) return packed;
  // One byte more than declared is enough to see that the declaration is a lie. The output is taken at once, as far as
  // the bytes at hand could fill it, because putting chunks together costs as much again.
  const maxOutputLength = sizeBytes + 1;
  const chunkSize = Math.max(64, Math.min(maxOutputLength, packed.length * maxDeflateRatio));
  const bound = { maxOutputLength, chunkSize };
  try {
    if (method === methods.deflated) return inflateRawSync(packed, bound);
    if (method === methods.zstandard) return zstdDecompressSync(packed, bound);
  } catch (error) {
    throw corruptZip("A member cannot be expanded, or is longer than the directory says.", error);
  }
  throw new AppError("UNSUPPORTED_FILE_TYPE", { detail: `A member of the archive uses compression method ${method}.` });
}

export function corruptZip(detail: string, cause?: unknown): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: `Its ZIP archive cannot be read: ${detail}` }, cause);
}
