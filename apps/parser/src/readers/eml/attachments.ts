import { AppError } from "@attune/service-kit/app-error.ts";
import type { MimePart } from "../../containers/mime.ts";
import type { Block } from "../../document/document.ts";
import { shiftHeadings } from "../../document/shift-headings.ts";
import { decodeText } from "../../text/decode-text.ts";
import type { PartInput, ReadContext } from "../reader.ts";
import { calendarBlocks } from "./calendar-blocks.ts";
import { plainTextBlocks } from "./plain-text-blocks.ts";

/** Every attachment under a heading of its own; what cannot be read is named in a warning. */
export async function writeAttachments(parts: readonly MimePart[], context: ReadContext): Promise<Block[]> {
  const blocks: Block[] = [];
  for (const [index, part] of parts.entries()) {
    const name = displayName(part, index);
    const content = await writeAttachment(part, name, context);
    if (content.length === 0) continue;
    blocks.push({ type: "heading", level: 2, inlines: [`Attachment: ${name}`] }, ...content);
  }
  return blocks;
}

// Names in messages may hold paths and line ends; the last piece of a path is the name.
function displayName(part: MimePart, index: number): string {
  const printable = part.fileName.replace(/\p{C}+/gu, "").replace(/\s+/g, " ");
  const last = printable.split(/[/\\]/).findLast((piece) => piece.trim() !== "" && !/^\.+$/.test(piece.trim()));
  return last?.trim().slice(0, 200) ?? (part.mediaType === "message/rfc822" ? "message" : `part ${index + 1}`);
}

async function writeAttachment(part: MimePart, name: string, context: ReadContext): Promise<readonly Block[]> {
  if (part.mediaType === "text/calendar") return calendarBlocks(textOf(part));
  if (
    /^message\/(?:delivery-status|disposition-notification|feedback-report)$|^text\/rfc822-headers$/.test(
      part.mediaType,
    )
  ) {
    return plainTextBlocks(textOf(part));
  }
  try {
    const document = await context.readPart(toPartInput(part, name));
    const { blocks } = document;
    if (blocks.length > 0 || !part.mediaType.startsWith("image/")) return shiftHeadings(blocks, 2);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.warn(`The attachment “${name}” was not read: ${reasonOf(error)}`);
  }
  return part.mediaType.startsWith("image/") ? [placeholder(part, name, context)] : [];
}

function reasonOf({ reason, details }: AppError): string {
  return details.detail === undefined ? `${reason}.` : `${reason}. ${details.detail}`;
}

function toPartInput(part: MimePart, name: string): PartInput {
  const charset = part.parameters.get("charset");
  const isGeneric = part.mediaType === "application/octet-stream";
  return {
    bytes: part.decode(),
    fileName: name,
    ...(part.mediaType === "message/rfc822" && { format: "eml" }),
    ...(!isGeneric && { mediaType: part.mediaType }),
    ...(charset !== undefined && part.mediaType.startsWith("text/") && { charset }),
  };
}

function placeholder(part: MimePart, name: string, { options }: ReadContext): Block {
  const data = options.images === "data_uri" ? { mediaType: part.mediaType, bytes: part.decode() } : undefined;
  return { type: "image", alt: name, reference: name, ...(data !== undefined && { data }) };
}

function textOf(part: MimePart): string {
  return decodeText(part.decode()).text;
}
