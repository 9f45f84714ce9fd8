import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block } from "../../document/document.ts";
import { leaveOutSignature } from "../drop-quoted-text.ts";
import { mailTextBlocks } from "../mail-text-blocks.ts";
import { prefersHtml } from "../prefers-html.ts";
import type { PartInput, ReadContext } from "../reader.ts";
import { codePageName } from "../../text/code-page-name.ts";
import { decompressRtf } from "../decompress-rtf.ts";
import { extractHtml } from "../extract-html.ts";
import type { OutlookItem } from "./open-item.ts";

export interface ItemBody {
  readonly blocks: readonly Block[];
  /** Content-IDs, and names of files, of the pictures that the HTML shows. */
  readonly shownPictures: ReadonlySet<string>;
}

/** The text of the item: a signed message as it was sent, HTML with structure, plain text, RTF, in this order. */
export async function writeBody(item: OutlookItem, context: ReadContext): Promise<ItemBody> {
  const signed = item.attachments.find(({ isSignedMessage }) => isSignedMessage);
  if (signed !== undefined) {
    const blocks = await attempt({ bytes: signed.decode(), fileName: "", format: "eml" }, context);
    if (blocks.length > 0) return { blocks, shownPictures: new Set() };
  }
  const text = item.fields.body?.replace(/\0/g, "") ?? "";
  const rtf = rtfOf(item, context);
  const html = htmlOf(item, rtf);
  if (html !== undefined && prefersHtml(html.bytes, text)) {
    const blocks = await attempt(html, context);
    if (blocks.length > 0) return { blocks, shownPictures: shownPictures(html.bytes) };
  }
  if (text.trim() !== "" || rtf === undefined)
    return { blocks: mailTextBlocks(leaveOutSignature(text, context)), shownPictures: new Set() };
  return { blocks: await attempt({ bytes: rtf, fileName: "", format: "rtf" }, context), shownPictures: new Set() };
}

function rtfOf({ fields }: OutlookItem, context: ReadContext): Buffer | undefined {
  if (fields.compressedRtf === undefined) return undefined;
  try {
    return decompressRtf(fields.compressedRtf, context.budget);
  } catch (error) {
    if (!(error instanceof AppError) || error.reason !== "DOCUMENT_CORRUPT") throw error;
    context.warn("The formatted text of the message is damaged; its plain text was used.");
    return undefined;
  }
}

function htmlOf({ fields }: OutlookItem, rtf: Buffer | undefined): PartInput | undefined {
  if (fields.html !== undefined && fields.html.length > 0) {
    const charset = codePageName(fields.internetCodepage);
    return { bytes: fields.html, fileName: "", format: "html", ...(charset !== undefined && { charset }) };
  }
  const html = (fields.bodyHtml ?? "") || (rtf === undefined ? undefined : extractHtml(rtf));
  return html === undefined
    ? undefined
    : { bytes: Buffer.from(html, "utf8"), fileName: "", format: "html", charset: "utf-8" };
}

function shownPictures(bytes: Uint8Array): Set<string> {
  const addresses = /["'(]cid:([^"')\s>]{1,300})|\bsrc\s*=\s*["']?([^"':\s>]{1,300})/gi;
  return new Set([...latin1(bytes).matchAll(addresses)].map(([, id, name]) => id ?? name ?? ""));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
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
