import { AppError } from "@attune/service-kit/app-error.ts";
import msgReader, { type FieldsData, type ParserConfig } from "@kenjiuno/msgreader";
import { decodeText } from "../../text/decode-text.ts";
import type { MailAttachment } from "../mail-attachments.ts";
import { checkCompound } from "./check-compound.ts";
import { codePageName } from "../../text/code-page-name.ts";

// The library is a CommonJS module: Node gives its exports, which have the class as `default`; bundlers give the class.
type MsgReaderConstructor = typeof msgReader.default;
const MsgReaderClass =
  (msgReader as { readonly default?: MsgReaderConstructor }).default ?? (msgReader as unknown as MsgReaderConstructor);
type MsgReader = InstanceType<MsgReaderConstructor>;

export interface OutlookItem {
  readonly fields: FieldsData;
  readonly attachments: readonly OutlookAttachment[];
}

export interface OutlookAttachment extends MailAttachment {
  /** Content-ID without brackets; empty when it has none. */
  readonly contentId: string;
  readonly isHidden: boolean;
  /** The signed message itself, which Outlook keeps as an attachment of an item that has only a copy of the text. */
  readonly isSignedMessage: boolean;
}

const sectorBytes = 4096;
const sparedBytes = 1 << 16;
const maxJudgedBytes = 1 << 18;

/** @throws AppError `DOCUMENT_CORRUPT` when the compound file or its properties cannot be read. */
export function openItem(bytes: Uint8Array): OutlookItem {
  // Files cut at their end are common; the library wants whole sectors, and gets zeros for those that are missing.
  const padded = new Uint8Array(Math.ceil(bytes.length / sectorBytes) * sectorBytes + sparedBytes);
  padded.set(bytes);
  checkCompound(padded);
  try {
    return readItem(padded.buffer);
  } catch (error) {
    throw error instanceof AppError ? error : corrupt("Its properties cannot be read.", error);
  }
}

function readItem(buffer: ArrayBuffer): OutlookItem {
  const narrowText: Uint8Array[] = [];
  const first = read(buffer, {
    propertyObserver: (_fields, tag, raw) => {
      if ((tag & 0xffff) === narrowStringType && raw !== null) narrowText.push(raw);
    },
  });
  const encoding = narrowEncoding(narrowText, first.fields);
  const { reader, fields } = encoding === undefined ? first : read(buffer, { ansiEncoding: encoding });
  return { fields, attachments: (fields.attachments ?? []).map((attachment) => toAttachment(attachment, reader)) };
}

/** PtypString8 of [MS-OXCDATA] 2.11.1: text in the code page of the item. */
const narrowStringType = 0x001e;

function read(buffer: ArrayBuffer, config: ParserConfig): { reader: MsgReader; fields: FieldsData } {
  const reader = new MsgReaderClass(buffer);
  reader.parserConfig = config;
  const fields = reader.getFileData();
  if (fields.error !== undefined) throw corrupt("It is no Outlook item.");
  return { reader, fields };
}

// The code page that the item names, unless its bytes are UTF-8 or the name says nothing (ASCII, Latin-1, UTF-8).
function narrowEncoding(texts: readonly Uint8Array[], fields: FieldsData): string | undefined {
  const lines = texts.map((text) => `${Buffer.from(text).toString("latin1")}\n`);
  const bytes = Buffer.from(lines.join("").replaceAll("\0", "").slice(0, maxJudgedBytes), "latin1");
  if (!bytes.some((byte) => byte >= 0x80)) return undefined;
  const named = [fields.messageCodepage, fields.internetCodepage].map(codePageName).find(isTelling);
  return decodeText(bytes, named === undefined ? {} : { charset: named }).encoding;
}

function isTelling(name: string | undefined): boolean {
  return name !== undefined && !/^(?:utf-8|us-ascii|iso-8859-1)$/.test(name);
}

function toAttachment(attachment: FieldsData, reader: MsgReader): OutlookAttachment {
  const mediaType = (attachment.attachMimeTag ?? "").toLowerCase();
  const isItem = attachment.innerMsgContent === true;
  const name = attachment.fileName ?? attachment.fileNameShort ?? attachment.name ?? "";
  return {
    name,
    mediaType,
    contentId: (attachment.pidContentId ?? "").replace(/^<|>$/g, ""),
    isHidden: attachment.attachmentHidden === true,
    isSignedMessage: mediaType === "multipart/signed",
    ...(isItem && { format: "msg" }),
    decode: () => contentOf(attachment, reader),
  };
}

function contentOf(attachment: FieldsData, reader: MsgReader): Uint8Array {
  try {
    return reader.getAttachment(attachment).content;
  } catch (error) {
    throw corrupt("The content of the attachment cannot be found.", error);
  }
}

function corrupt(detail: string, cause?: unknown): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail }, cause);
}
