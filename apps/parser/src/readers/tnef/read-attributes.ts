import { AppError } from "@attune/service-kit/app-error.ts";

/** One attribute of a stream ([MS-OXTNEF] 2.1.3.2). */
export interface TnefAttribute {
  readonly id: number;
  readonly data: Buffer;
}

/** Identifiers of attributes ([MS-OXTNEF] 2.1.3.1). */
export const attributeId = {
  subject: 0x0001_8004,
  from: 0x0000_8000,
  sentAt: 0x0003_8005,
  body: 0x0002_800c,
  properties: 0x0006_9003,
  codePage: 0x0006_9007,
  beginAttachment: 0x0006_9002,
  attachmentData: 0x0006_800f,
  attachmentTitle: 0x0001_8010,
  attachmentProperties: 0x0006_9005,
} as const;

const headBytes = 6;
const attributeHeadBytes = 9;
const checksumBytes = 2;

export interface TnefStream {
  readonly attributes: readonly TnefAttribute[];
  readonly isCut: boolean;
}

/** @throws AppError `DOCUMENT_CORRUPT` when there is no attribute at all. */
export function readAttributes(bytes: Buffer): TnefStream {
  const attributes: TnefAttribute[] = [];
  let at = headBytes;
  for (; at + attributeHeadBytes <= bytes.length; at += checksumBytes) {
    const id = bytes.readUInt32LE(at + 1);
    const end = at + attributeHeadBytes + bytes.readUInt32LE(at + 5);
    if (end > bytes.length) break;
    attributes.push({ id, data: bytes.subarray(at + attributeHeadBytes, end) });
    at = end;
  }
  if (attributes.length === 0) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no attributes." });
  return { attributes, isCut: at < bytes.length };
}
