import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block, Document, ImageContent, Inline, Table } from "../document/document.ts";
import { type Rewrite, rewriteBlocks } from "../document/rewrite-blocks.ts";
import type { PageRecogniser } from "../ocr/recogniser.ts";
import type { ReadContext, ReadOptions } from "../readers/reader.ts";

/** Formats with pictures in the file, of which readers only name the place. */
const packages: ReadonlySet<string> = new Set(
  "doc docx epub fb2 hwp hwpx odg odp ods odt ppt pptx rtf vsdx xlsx".split(" "),
);
/** Those in which a picture may be part of the text itself. */
const texts: ReadonlySet<string> = new Set(["html", "xhtml", "ipynb"]);
/** What the reader of pictures decodes. */
const readable = /^image\/(?:bmp|gif|jpe?g|pjpeg|png|tiff|webp|x-ms-bmp|x-png)$/i;
const readableName = /\.(?:bmp|gif|jpe?g|png|tiff?|webp)$/i;
const drawn = /\.(?:emf|wmf|svgz?|pict?|eps|pdf|wdp)$/i;
const isOutside = /^(?:[a-z][a-z0-9+.-]+:|\/\/)/i;

export interface PictureReading {
  readonly format: string;
  readonly context: ReadContext;
  /** Pictures of this file and of files inside it that have been dealt with. */
  readonly settled: WeakSet<ImageContent>;
}

/** Whether `readPictures` needs the bytes of the pictures in a file. */
export function wantsPictures({ ocr }: ReadOptions, recogniser: PageRecogniser | undefined): boolean {
  return ocr?.when === "always" && recogniser !== undefined;
}

/** Whether a document is nothing but pictures, as a scan in a Word file is, so that OCR left to choose must read them. */
export function isOnlyPictures({ blocks }: Document, format: string): boolean {
  if (!packages.has(format)) return false;
  let hasPicture = false;
  const isWord = (inline: Inline): boolean => typeof inline === "string" && inline.trim() !== "";
  let hasWords = false;
  const inline = (one: Inline): Inline => {
    if (typeof one !== "string" && one.type === "image") hasPicture = true;
    else if (isWord(one) || (typeof one !== "string" && "text" in one)) hasWords = true;
    return one;
  };
  const block = (one: Block): Block => {
    if (one.type === "image") hasPicture = true;
    else if (one.type === "code" || one.type === "formula" || (one.type === "table" && hasPlainCell(one)))
      hasWords = true;
    return one;
  };
  rewriteBlocks(blocks, { block, inline });
  return hasPicture && !hasWords;
}

const hasPlainCell = ({ rows }: Table): boolean =>
  rows.some((row) => row.some((cell) => typeof cell === "string" && cell.trim() !== ""));

/**
 * Reads the pictures in a document by OCR where that is wanted for all, and puts their text behind them. Where OCR is left to
 * find the pages that need it, pictures beside text stay unread: a warning says how many, and what reads them.
 */
export async function readPictures(document: Document, reading: PictureReading): Promise<Document> {
  const { format, context, settled } = reading;
  const isPackage = packages.has(format);
  if (!isPackage && !texts.has(format)) return document;
  const pictures = listPictures(document).filter((picture) => !settled.has(picture));
  for (const picture of pictures) settled.add(picture);
  if (wantsPictures(context.options, context.recogniser)) return withTexts(document, await readAll(pictures, context));
  if (context.options.ocr?.when === "auto" && isPackage) tellUnread(pictures, context);
  return document;
}

function listPictures({ blocks }: Document): readonly ImageContent[] {
  const pictures: ImageContent[] = [];
  const note = <T extends Block | Inline>(item: T): T => {
    if (typeof item !== "string" && item.type === "image") pictures.push(item);
    return item;
  };
  rewriteBlocks(blocks, { block: note, inline: note });
  return pictures;
}

function tellUnread(pictures: readonly ImageContent[], context: ReadContext): void {
  const unread = pictures.filter(
    ({ reference = "", data }) =>
      !isOutside.test(reference) && !drawn.test(reference) && (data === undefined || readable.test(data.mediaType)),
  );
  if (unread.length === 0) return;
  const [what, them] = unread.length === 1 ? ["1 picture was", "it"] : [`${unread.length} pictures were`, "them"];
  context.warn(`${what} not read by OCR; should there be text in ${them}, the override ocr=always reads ${them}.`);
}

// A picture that stands at several places is read once.
async function readAll(
  pictures: readonly ImageContent[],
  context: ReadContext,
): Promise<ReadonlyMap<ImageContent, readonly Block[]>> {
  const known = new Map<string, readonly Block[]>();
  const read = new Map<ImageContent, readonly Block[]>();
  for (const picture of pictures) {
    if (picture.data === undefined) continue;
    const key = Buffer.from(picture.data.bytes).toString("latin1");
    const blocks = known.get(key) ?? (await readOne(picture, context));
    known.set(key, blocks);
    read.set(picture, blocks);
  }
  return read;
}

async function readOne({ data, reference }: ImageContent, context: ReadContext): Promise<readonly Block[]> {
  if (data === undefined) return [];
  const { mediaType, bytes } = data;
  const name = reference?.split("/").at(-1) ?? "picture";
  if (!readable.test(mediaType) && !readableName.test(name)) {
    context.warn(`The picture ${name} was not read by OCR, which does not know its type (${mediaType}).`);
    return [];
  }
  try {
    return withoutPages((await context.readPart({ bytes, fileName: name, mediaType })).blocks);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // That it shows no words is told by the reader of pictures.
    if (error.reason !== "TEXT_NOT_FOUND") context.warn(`The picture ${name} was not read by OCR: ${detailOf(error)}`);
    return [];
  }
}

// Its pages are none of the document around it.
function withoutPages(blocks: readonly Block[]): readonly Block[] {
  const block = (one: Block): Block | readonly Block[] => {
    const { source: _, ...rest } = one;
    return rest.type === "pageBreak" ? [] : rest;
  };
  return rewriteBlocks(blocks, { block, inline: (inline) => inline });
}

function detailOf({ reason, details }: AppError): string {
  return details.detail === undefined ? `${reason}.` : `${reason}. ${details.detail}`;
}

// Text of a picture in a line stands behind the block of the line.
function withTexts(document: Document, read: ReadonlyMap<ImageContent, readonly Block[]>): Document {
  let waiting: Block[] = [];
  const collect = (picture: ImageContent): void => {
    waiting.push(...(read.get(picture) ?? []));
  };
  const rewrite: Rewrite = {
    inline: (inline) => {
      if (typeof inline !== "string" && inline.type === "image") collect(inline);
      return inline;
    },
    block: (block) => {
      if (block.type === "image") collect(block);
      const behind = waiting;
      waiting = [];
      return behind.length === 0 ? block : [block, ...behind];
    },
  };
  return { ...document, blocks: rewriteBlocks(document.blocks, rewrite) };
}

/** The document without the bytes of its pictures. */
export function withoutImageBytes(document: Document): Document {
  const block = (item: Block): Block => (item.type === "image" ? withoutData(item) : item);
  const inline = (item: Inline): Inline =>
    typeof item !== "string" && item.type === "image" ? withoutData(item) : item;
  return { ...document, blocks: rewriteBlocks(document.blocks, { block, inline }) };
}

function withoutData<TPicture extends ImageContent>(picture: TPicture): Omit<TPicture, "data"> {
  const { data: _, ...rest } = picture;
  return rest;
}
