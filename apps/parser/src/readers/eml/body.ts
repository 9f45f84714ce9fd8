import { AppError } from "@attune/service-kit/app-error.ts";
import type { MimePart } from "../../containers/mime.ts";
import type { Block } from "../../document/document.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadContext } from "../reader.ts";
import type { BodyPart, MessageContent } from "./collect-content.ts";
import { leaveOutQuotedText, leaveOutSignature } from "../drop-quoted-text.ts";
import { type MailPicture, placePictures } from "../mail-pictures.ts";
import { mailTextBlocks } from "../mail-text-blocks.ts";
import { prefersHtml } from "../prefers-html.ts";
import { unfoldFlowed } from "./unfold-flowed.ts";

/** The text of the message: HTML where it has structure that plain text cannot have or says far more, plain text otherwise. */
export async function writeBody({ bodies, pictures }: MessageContent, context: ReadContext): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (const body of bodies) for (const block of await writeOne(body, context)) blocks.push(block);
  return leaveOutQuotedText(placePictures(blocks, pictures.map(toPicture), context), context);
}

function toPicture(part: MimePart): MailPicture {
  const { fileName: name, mediaType } = part;
  const contentId = part.header("content-id")?.trim().replace(/^<|>$/g, "") ?? "";
  return { name, mediaType, contentId, decode: () => part.decode() };
}

async function writeOne({ plain, html }: BodyPart, context: ReadContext): Promise<Block[]> {
  const text = plain === undefined ? "" : decode(plain, context);
  const hasText = text.trim() !== "";
  if (html !== undefined && prefersHtml(html.decode(), text)) {
    const blocks = await readHtmlPart(html, context);
    if (blocks.length > 0 || !hasText) return blocks;
  }
  if (plain === undefined) return [];
  const own = leaveOutSignature(text, context);
  return mailTextBlocks(isFlowed(plain) ? unfoldFlowed(own, deletesSpace(plain)) : own);
}

async function readHtmlPart(part: MimePart, context: ReadContext): Promise<Block[]> {
  const charset = part.parameters.get("charset");
  try {
    const document = await context.readPart({
      bytes: part.decode(),
      fileName: "",
      format: "html",
      isOwnText: true,
      ...(charset !== undefined && { charset }),
    });
    return [...document.blocks];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.warn(`The HTML text of the message was not read: ${error.message}`);
    return [];
  }
}

function decode(part: MimePart, context: ReadContext): string {
  const charset = part.parameters.get("charset")?.trim();
  return readInputText({ bytes: part.decode(), ...(charset !== undefined && { charset }) }, context);
}

function isFlowed({ parameters }: MimePart): boolean {
  return parameters.get("format")?.toLowerCase() === "flowed";
}

function deletesSpace({ parameters }: MimePart): boolean {
  return parameters.get("delsp")?.toLowerCase() === "yes";
}
