import { AppError } from "@attune/service-kit/app-error.ts";
import { type MimePart, parseMime } from "../../containers/mime.ts";
import type { Block } from "../../document/document.ts";
import { shiftHeadings } from "../../document/shift-headings.ts";
import { decodeText } from "../../text/decode-text.ts";
import type { ReadDocument } from "../reader.ts";
import { type MailAttachment, readAttachments } from "../mail-attachments.ts";
import { writeBody } from "./body.ts";
import { collectContent } from "./collect-content.ts";
import { hasHeaders, headerBlocks, messageMetadata } from "./message-headers.ts";

/** Reads a message: its subject as heading, who wrote it to whom and when, its text, and every attachment. */
export const readEml: ReadDocument = async (input, context) => {
  const root = parseMime(toMessageBytes(input.bytes), context.budget);
  if (!hasHeaders(root) && root.parts.length === 0) {
    throw new AppError("DOCUMENT_CORRUPT", { detail: "It does not begin with the header of a message." });
  }
  const content = collectContent(root);
  const body = await writeBody(content, context);
  const attached = await readAttachments(content.attachments.map(toAttachment), context);
  const header = headerBlocks(root);
  const isTitled = header.some(({ type }) => type === "heading");
  const written: Block[] = [...shiftHeadings(body, isTitled ? 1 : 0), ...attached];
  if (content.encrypted.length > 0) {
    const detail = `Its content is encrypted (${content.encrypted.join(", ")}).`;
    if (written.length === 0) throw new AppError("ENCRYPTION_UNSUPPORTED", { detail });
    context.warn(`A part of the message is encrypted and was not read (${content.encrypted.join(", ")}).`);
  }
  if (content.undivided.length > 0) {
    context.warn(`Parts of the message could not be taken apart and were not read (${content.undivided.length}).`);
  }
  return { metadata: messageMetadata(root), blocks: [...header, ...written] };
};

function toAttachment(part: MimePart): MailAttachment {
  const charset = part.parameters.get("charset");
  return {
    name: part.fileName,
    mediaType: part.mediaType,
    ...(part.mediaType === "message/rfc822" && { format: "eml" }),
    ...(charset !== undefined && part.mediaType.startsWith("text/") && { charset }),
    decode: () => part.decode(),
  };
}

// Apple Mail's EMLX has the length of the message in a first line and a property list after it.
function toMessageBytes(bytes: Uint8Array): Uint8Array {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 32)).toString("latin1");
  if (/^(?:\xff\xfe|\xfe\xff|[^\0]\0[^\0]\0|\0[^\0]\0[^\0])/.test(start))
    return Buffer.from(decodeText(bytes).text, "utf8");
  const length = /^(\d{1,10})[ \t]*\r?\n/.exec(start);
  if (length !== null) return bytes.subarray(length[0].length, length[0].length + Number(length[1]));
  return start.startsWith("\xef\xbb\xbf") ? bytes.subarray(3) : bytes;
}
