import { AppError } from "@attune/service-kit/app-error.ts";
import { type CompoundStreams, openCompound } from "./open-compound.ts";

/**
 * Whether a Word, PowerPoint or Excel file of 1997 to 2003 is protected by a password, by its own headers. A file too
 * damaged to tell is not.
 */
export function isEncryptedLegacyOffice(bytes: Uint8Array): boolean {
  try {
    const streams = openCompound(bytes);
    return isEncryptedWord(streams) || isEncryptedPowerPoint(streams) || isEncryptedExcel(streams);
  } catch (error) {
    if (error instanceof AppError || error instanceof RangeError) return false;
    throw error;
  }
}

/** `wIdent` of Word 97 ([MS-DOC] 2.5.2), of Word 6, and of Word 6 and 95 of East Asia. */
const wordSignatures: ReadonlySet<number> = new Set([0xa5ec, 0xa5dc, 0xa697, 0xa698, 0xa699]);
/** Bit `fEncrypted` of the flags at byte 10 ([MS-DOC] 2.5.2). */
const encryptedWordFlag = 0x0100;

function isEncryptedWord(streams: CompoundStreams): boolean {
  const header = streams.read("WordDocument");
  if (header === undefined || header.length < 12) return false;
  return wordSignatures.has(header.readUInt16LE(0)) && (header.readUInt16LE(10) & encryptedWordFlag) !== 0;
}

/** `headerToken` of a file whose records are encrypted ([MS-PPT] 2.3.2). */
const encryptedPowerPointToken = 0xf3d1c4df;

function isEncryptedPowerPoint(streams: CompoundStreams): boolean {
  const user = streams.read("Current User");
  return user !== undefined && user.length >= 16 && user.readUInt32LE(12) === encryptedPowerPointToken;
}

/** Record types ([MS-XLS] 2.3.1): `FilePass` stands among the first records, before any that is encrypted. */
const filePassRecord = 0x002f;
const maxRecords = 16;

function isEncryptedExcel(streams: CompoundStreams): boolean {
  const workbook = streams.read("Workbook") ?? streams.read("Book");
  if (workbook === undefined) return false;
  for (let at = 0, count = 0; at + 4 <= workbook.length && count < maxRecords; count++) {
    if (workbook.readUInt16LE(at) === filePassRecord) return true;
    at += 4 + workbook.readUInt16LE(at + 2);
  }
  return false;
}
