import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block } from "../document/document.ts";
import { shiftHeadings } from "../document/shift-headings.ts";
import { attachmentName } from "./attachment-name.ts";
import { calendarBlocks } from "./calendar-blocks.ts";
import { mailTextBlocks } from "./mail-text-blocks.ts";
import type { PartInput, ReadContext } from "./reader.ts";
import { decodeText } from "../text/decode-text.ts";

/** A file that came with a message. */
export interface MailAttachment {
  /** As the message gives it: any text, perhaps with folders. */
  readonly name: string;
  /** Lower case; empty when the message gives none. */
  readonly mediaType: string;
  /** Set where the message is certain of it. */
  readonly format?: string;
  readonly charset?: string;
  decode(): Uint8Array;
}

/** Every attachment under a heading of its own; what cannot be read is named, and a warning says why. */
export async function readAttachments(
  attachments: readonly MailAttachment[],
  context: ReadContext,
): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (const [index, attachment] of attachments.entries()) {
    const name = displayName(attachment, index);
    const content = await readAttachment(attachment, name, context);
    if (content.length === 0) {
      blocks.push({ type: "paragraph", inlines: [`Attachment: ${name}`] });
      continue;
    }
    blocks.push({ type: "heading", level: 2, inlines: [`Attachment: ${name}`] });
    for (const block of content) blocks.push(block);
  }
  return blocks;
}

function displayName({ name, mediaType }: MailAttachment, index: number): string {
  return attachmentName(name) ?? (mediaType === "message/rfc822" ? "message" : `part ${index + 1}`);
}

const reports = /^message\/(?:delivery-status|disposition-notification|feedback-report)$|^text\/rfc822-headers$/;

async function readAttachment(
  attachment: MailAttachment,
  name: string,
  context: ReadContext,
): Promise<readonly Block[]> {
  const { mediaType } = attachment;
  if (mediaType === "text/calendar") return calendarBlocks(decodeText(attachment.decode()).text);
  if (reports.test(mediaType)) return mailTextBlocks(decodeText(attachment.decode()).text);
  try {
    const { blocks } = await context.readPart(toPartInput(attachment, name));
    if (blocks.length > 0 || !mediaType.startsWith("image/")) return shiftHeadings(blocks, 2);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.warn(`The attachment “${name}” was not read: ${reasonOf(error)}`);
  }
  return mediaType.startsWith("image/") ? [placeholder(attachment, name, context)] : [];
}

function reasonOf({ reason, details }: AppError): string {
  return details.detail === undefined ? `${reason}.` : `${reason}. ${details.detail}`;
}

function toPartInput(attachment: MailAttachment, name: string): PartInput {
  const { mediaType, format, charset } = attachment;
  const saysType = mediaType !== "" && mediaType !== "application/octet-stream";
  return {
    bytes: attachment.decode(),
    fileName: name,
    ...(format !== undefined && { format }),
    ...(saysType && { mediaType }),
    ...(charset !== undefined && { charset }),
  };
}

function placeholder(attachment: MailAttachment, name: string, { options }: ReadContext): Block {
  const data =
    options.images === "data_uri" ? { mediaType: attachment.mediaType, bytes: attachment.decode() } : undefined;
  return { type: "image", alt: name, reference: name, ...(data !== undefined && { data }) };
}
