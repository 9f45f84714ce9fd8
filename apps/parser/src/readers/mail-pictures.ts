import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block, ImageContent } from "../document/document.ts";
import { rewriteBlocks } from "../document/rewrite-blocks.ts";
import { attachmentName } from "./attachment-name.ts";
import type { MailAttachment } from "./mail-attachments.ts";
import type { ReadContext } from "./reader.ts";

/** A picture that came with a message to be shown in its text. */
export interface MailPicture extends MailAttachment {
  /** Without brackets; empty when it has none. */
  readonly contentId: string;
}

type PictureContext = Pick<ReadContext, "warn"> & { readonly options: Pick<ReadContext["options"], "images"> };

/** The text of a message with its pictures under the names of their files; those that it does not show stand after it. */
export function placePictures(
  blocks: readonly Block[],
  pictures: readonly MailPicture[],
  context: PictureContext,
): readonly Block[] {
  if (pictures.length === 0) return blocks;
  const byAddress = new Map(pictures.flatMap((one) => [[one.name, one] as const, [one.contentId, one] as const]));
  const shown = new Set<MailPicture>();
  const nameOne = <T extends ImageContent>(image: T): T => {
    const picture = image.reference ? byAddress.get(decode(image.reference)) : undefined;
    if (picture === undefined) return image;
    shown.add(picture);
    return { ...image, ...contentOf(picture, context) };
  };
  const placed = rewriteBlocks(blocks, {
    block: (block) => (block.type === "image" ? nameOne(block) : block),
    inline: (inline) => (typeof inline !== "string" && inline.type === "image" ? nameOne(inline) : inline),
  });
  const others = pictures.filter((picture) => !shown.has(picture));
  return [...placed, ...others.map((one): Block => ({ type: "image", alt: "", ...contentOf(one, context) }))];
}

function contentOf(picture: MailPicture, { options, warn }: PictureContext): Omit<ImageContent, "alt"> {
  const reference = attachmentName(picture.name) ?? picture.contentId;
  if (options.images !== "data_uri") return { reference };
  try {
    return { reference, data: { mediaType: picture.mediaType, bytes: picture.decode() } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    warn(`The picture “${reference}” was not read: ${error.reason}.`);
    return { reference };
  }
}

function decode(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
