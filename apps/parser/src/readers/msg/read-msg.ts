import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block, Metadata } from "../../document/document.ts";
import { shiftHeadings } from "../../document/shift-headings.ts";
import { leaveOutQuotedText } from "../drop-quoted-text.ts";
import { readAttachments } from "../mail-attachments.ts";
import { mailHeaderBlocks } from "../mail-header-blocks.ts";
import { placePictures } from "../mail-pictures.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";
import { writeBody } from "./body.ts";
import { headerLines, itemDate, senderOf } from "./item-headers.ts";
import { type OutlookAttachment, type OutlookItem, openItem } from "./open-item.ts";

/** Reads an Outlook item: subject, people, dates, its text in the best of its forms, and every attachment. */
export const readMsg: ReadDocument = async (input, context) => {
  const item = openItem(input.bytes);
  const { fields } = item;
  const subject = (fields.subject ?? "").replace(/\s+/g, " ").trim();
  const header = mailHeaderBlocks(subject, headerLines(fields));
  const body = await writeBody(item, context);
  const { pictures, attachments } = sortAttachments(item, body.shownPictures);
  const text = placePictures(body.blocks, pictures, context);
  const attached = await readAttachments(attachments, context);
  const written: Block[] = [...shiftHeadings(leaveOutQuotedText(text, context), subject === "" ? 0 : 1), ...attached];
  reportEncryption(item, written, context);
  return { metadata: metadataOf(item, subject), blocks: [...header, ...written] };
};

function metadataOf({ fields }: OutlookItem, title: string): Metadata {
  const author = senderOf(fields);
  const createdAt = itemDate(fields);
  return {
    ...(title !== "" && { title }),
    ...(author !== "" && { authors: [author] }),
    ...(createdAt !== undefined && { createdAt: createdAt.toISOString() }),
  };
}

interface SortedAttachments {
  /** Part of the text. */
  readonly pictures: readonly OutlookAttachment[];
  readonly attachments: readonly OutlookAttachment[];
}

function sortAttachments(item: OutlookItem, shownPictures: ReadonlySet<string>): SortedAttachments {
  const readable = item.attachments.filter((one) => !one.isSignedMessage && !isEncrypted(one));
  const isPicture = ({ contentId, name, mediaType, isHidden }: OutlookAttachment): boolean =>
    mediaType.startsWith("image/") && (isHidden || shownPictures.has(contentId) || shownPictures.has(name));
  return {
    pictures: readable.filter(isPicture),
    attachments: readable.filter((one) => !isPicture(one)),
  };
}

const pgpMark = "-----BEGIN PGP MESSAGE-----";

function isEncrypted(attachment: OutlookAttachment): boolean {
  const { mediaType, name } = attachment;
  if (/^application\/(?:(?:x-)?pkcs7-mime|pgp-encrypted)$/.test(mediaType) || /\.p7m$/i.test(name)) return true;
  if (!/^(?:application\/octet-stream|text\/plain|)$/.test(mediaType)) return false;
  return Buffer.from(attemptDecode(attachment).subarray(0, 64)).toString("latin1").trimStart().startsWith(pgpMark);
}

// What cannot be decoded is reported where it is read.
function attemptDecode(attachment: OutlookAttachment): Uint8Array {
  try {
    return attachment.decode();
  } catch {
    return new Uint8Array();
  }
}

function reportEncryption(item: OutlookItem, written: readonly Block[], context: ReadContext): void {
  if (!item.attachments.some(isEncrypted)) return;
  const detail = "Its content is encrypted (S/MIME or PGP).";
  if (written.length === 0) throw new AppError("ENCRYPTION_UNSUPPORTED", { detail });
  context.warn("A part of the message is encrypted and was not read.");
}
