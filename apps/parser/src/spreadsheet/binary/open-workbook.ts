import { type DecryptBlock, openOfficeRc4 } from "../../containers/office-rc4.ts";
import { findStream } from "./find-stream.ts";

/** Record types of [MS-XLS] 2.3. */
const record = { filePass: 0x002f, sheetPlace: 0x0085 } as const;
/** Records that are never encrypted ([MS-XLS] 2.2.10). */
const plainRecords: ReadonlySet<number> = new Set([0x0809, record.filePass, 0x0194, 0x0195, 0x00e1, 0x0196, 0x0138]);
/** A record that says nothing about cells, in place of the one that tells of encryption. */
const emptyRecord = 0x0051;
const headerBytes = 4;
const blockBytes = 1024;
/** The record that tells of encryption stands among the first. */
const maxRecords = 16;
const rc4Type = 1;

/**
 * The bytes of a workbook as SheetJS can read them: those of a workbook encrypted with RC4 are decrypted, all others come
 * back as they are. @throws AppError `PASSWORD_REQUIRED`, `PASSWORD_WRONG`, `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`.
 */
export async function openWorkbook(bytes: Uint8Array, password: string | undefined): Promise<Uint8Array> {
  const stream = await findStream(bytes, ["Workbook", "Book"]);
  const filePassAt = stream === undefined ? undefined : findFilePass(stream);
  if (stream === undefined || filePassAt === undefined) return bytes;
  const filePass = stream.subarray(filePassAt + headerBytes, endOf(stream, filePassAt));
  if (filePass.length < 2 || filePass.readUInt16LE(0) !== rc4Type) return bytes;
  const decrypted = decryptStream(stream, openOfficeRc4(filePass.subarray(2), password));
  decrypted.writeUInt16LE(emptyRecord, filePassAt);
  return decrypted;
}

function findFilePass(stream: Buffer): number | undefined {
  for (let at = 0, count = 0; at + headerBytes <= stream.length && count < maxRecords; count++) {
    if (stream.readUInt16LE(at) === record.filePass) return at;
    at = endOf(stream, at);
  }
  return undefined;
}

function endOf(stream: Buffer, at: number): number {
  return Math.min(stream.length, at + headerBytes + stream.readUInt16LE(at + 2));
}

// Every 1024 bytes of the stream have a key of their own; headers of records lie there as they are, and so do some records.
function decryptStream(stream: Buffer, decrypt: DecryptBlock): Buffer {
  const output = Buffer.alloc(stream.length);
  for (let at = 0; at < stream.length; at += blockBytes)
    decrypt(stream.subarray(at, at + blockBytes), at / blockBytes).copy(output, at);
  for (let at = 0; at + headerBytes <= stream.length; at = endOf(stream, at)) {
    const type = stream.readUInt16LE(at);
    const isPlain = plainRecords.has(type);
    // Of the record that says where a sheet begins, that place is not encrypted.
    const plainBytes = type === record.sheetPlace ? headerBytes + 4 : headerBytes;
    stream.copy(output, at, at, isPlain ? endOf(stream, at) : Math.min(endOf(stream, at), at + plainBytes));
  }
  return output;
}
