import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block, Metadata } from "../../document/document.ts";
import { shiftHeadings } from "../../document/shift-headings.ts";
import { codePageName } from "../../text/code-page-name.ts";
import { decompressRtf } from "../decompress-rtf.ts";
import { extractHtml } from "../extract-html.ts";
import { readAttachments } from "../mail-attachments.ts";
import { mailHeaderBlocks } from "../mail-header-blocks.ts";
import { mailTextBlocks } from "../mail-text-blocks.ts";
import { prefersHtml } from "../prefers-html.ts";
import type { PartInput, ReadContext, ReadDocument } from "../reader.ts";
import { openMessage, type TnefMessage } from "./open-message.ts";
import { propertyId } from "./read-properties.ts";

/** Messages that Outlook packs for other Outlooks (`winmail.dat`, [MS-OXTNEF]), with their text and attachments. */
export const readTnef: ReadDocument = async (input, context) => {
  const { bytes } = input;
  const message = openMessage(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  if (message.isCut) context.warn("The file is cut short: what came after the cut is missing.");
  const header = headerOf(message);
  const body = await readBody(message, context);
  const attached = await readAttachments(
    message.attachments.filter((attachment) => !(attachment.mediaType.startsWith("image/") && attachment.isHidden)),
    context,
  );
  const blocks = [...shiftHeadings(body, header.subject === "" ? 0 : 1), ...attached];
  return { metadata: metadataOf(header), blocks: [...mailHeaderBlocks(header.subject, header.lines), ...blocks] };
};

interface Header {
  readonly subject: string;
  readonly sender: string;
  readonly sentAt: Date | undefined;
  readonly lines: readonly (readonly [string, string])[];
}

function headerOf(message: TnefMessage): Header {
  const sender = textOf(message, propertyId.senderName) || textOf(message, propertyId.representedName);
  const address = textOf(message, propertyId.senderAddress) || textOf(message, propertyId.representedAddress);
  const from = address.includes("@") && address !== sender ? `${sender} <${address}>`.trim() : sender;
  const times = [propertyId.submittedAt, propertyId.deliveredAt].map((id) => message.properties.get(id));
  const sentAt = times.find((time) => time instanceof Date) ?? message.sentAt;
  return {
    subject: (textOf(message, propertyId.subject) || message.subject).replaceAll(/\s+/g, " ").trim(),
    sender,
    sentAt,
    lines: [
      ["From", from],
      ["To", textOf(message, propertyId.displayTo)],
      ["Cc", textOf(message, propertyId.displayCc)],
      ["Date", sentAt === undefined ? "" : sentAt.toISOString().replace(".000Z", "Z")],
    ],
  };
}

function textOf({ properties }: TnefMessage, id: number): string {
  const value = properties.get(id);
  return typeof value === "string" ? value.trim() : "";
}

function metadataOf({ subject, sender, sentAt }: Header): Metadata {
  return {
    ...(subject !== "" && { title: subject }),
    ...(sender !== "" && { authors: [sender] }),
    ...(sentAt !== undefined && { createdAt: sentAt.toISOString() }),
  };
}

// HTML with structure, plain text, RTF, in this order.
async function readBody(message: TnefMessage, context: ReadContext): Promise<readonly Block[]> {
  const value = message.properties.get(propertyId.body);
  const text = typeof value === "string" && value.trim() !== "" ? value : message.body;
  const rtf = rtfOf(message, context);
  const html = htmlOf(message, rtf);
  if (html !== undefined && prefersHtml(html.bytes, text)) {
    const blocks = await attempt(html, context);
    if (blocks.length > 0) return blocks;
  }
  if (text.trim() !== "" || rtf === undefined) return mailTextBlocks(text);
  return attempt({ bytes: rtf, fileName: "", format: "rtf" }, context);
}

function rtfOf({ properties }: TnefMessage, context: ReadContext): Buffer | undefined {
  const compressed = properties.get(propertyId.compressedRtf);
  if (!Buffer.isBuffer(compressed)) return undefined;
  try {
    return decompressRtf(compressed, context.budget);
  } catch (error) {
    if (!(error instanceof AppError) || error.reason !== "DOCUMENT_CORRUPT") throw error;
    context.warn("The formatted text of the message is damaged; its plain text was used.");
    return undefined;
  }
}

function htmlOf({ properties }: TnefMessage, rtf: Buffer | undefined): PartInput | undefined {
  const value = properties.get(propertyId.html);
  const codePage = properties.get(propertyId.internetCodePage);
  if (Buffer.isBuffer(value) && value.length > 0) {
    const charset = codePageName(typeof codePage === "number" ? codePage : undefined);
    return { bytes: value, fileName: "", format: "html", ...(charset !== undefined && { charset }) };
  }
  const html = typeof value === "string" ? value : rtf && extractHtml(rtf);
  return html === undefined || html === ""
    ? undefined
    : { bytes: Buffer.from(html, "utf8"), fileName: "", format: "html", charset: "utf-8" };
}

async function attempt(part: PartInput, context: ReadContext): Promise<readonly Block[]> {
  try {
    return (await context.readPart({ ...part, isOwnText: true })).blocks;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.warn(`The ${part.format} text of the message was not read: ${error.reason}.`);
    return [];
  }
}
