import { AppError } from "@attune/service-kit/app-error.ts";
import { openZip } from "../../containers/zip.ts";
import type { Block } from "../../document/document.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";
import { BookFiles } from "./book-files.ts";
import { listEncrypted } from "./list-encrypted.ts";
import { type PackageDocument, readPackage, type SpineItem } from "./read-package.ts";
import { isListOfLinks } from "./is-list-of-links.ts";
import { prepareChapter } from "./prepare-chapter.ts";

/** Reads a book chapter by chapter in its reading order; tables of contents, which repeat headings, are left out. */
export const readEpub: ReadDocument = async (input, context) => {
  const files = new BookFiles(openZip(input.bytes, context.budget));
  const book = readPackage(files, context.budget.limits.maxMarkupDepth);
  const spine = book.spine.filter(({ isContents }) => isContents !== true);
  const encrypted = listEncrypted(files, context.budget.limits.maxMarkupDepth);
  const locked = spine.filter(({ path }) => encrypted.has(path));
  if (locked.length > 0 && locked.length >= spine.length / 2) {
    throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: "Its chapters are encrypted (digital rights management)." });
  }
  const blocks: Block[] = [];
  for (const [index, item] of spine.entries()) {
    if (context.budget.isTimeSpent) {
      context.warn(`Time ran out: chapters ${index + 1} to ${spine.length} were left out.`);
      break;
    }
    for (const block of await readChapter(item, { files, context, encrypted, index })) blocks.push(block);
  }
  warnOfContents(book, context);
  return { metadata: book.metadata, blocks };
};

interface Reading {
  readonly files: BookFiles;
  readonly context: ReadContext;
  readonly encrypted: ReadonlySet<string>;
  readonly index: number;
}

// A chapter that cannot be read is named; the others are still worth reading.
async function readChapter(item: SpineItem, { files, context, encrypted, index }: Reading): Promise<readonly Block[]> {
  try {
    if (encrypted.has(item.path)) throw new AppError("ENCRYPTION_UNSUPPORTED");
    const bytes = files.read(item.path);
    if (bytes === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "The book does not contain it." });
    if (!isPage(item)) return unreadableItem(item, context);
    const chapter = await context.readPart({
      bytes,
      fileName: item.path.split("/").at(-1) ?? "",
      format: "xhtml",
      isOwnText: true,
    });
    if (item.isContents === "perhaps" && isListOfLinks(chapter.blocks)) return [];
    const wantsImages = context.options.images === "data_uri";
    return prepareChapter(chapter.blocks, { path: item.path, index, files, wantsImages });
  } catch (error) {
    if (!(error instanceof AppError) || isOfTheWhole(error)) throw error;
    const detail = error.details.detail === undefined ? "" : ` ${error.details.detail}`;
    context.warn(`The chapter ${item.path} was not read: ${error.reason}.${detail}`);
    return [];
  }
}

// Limits guard the whole book; markup that is refused may be an attack, so that nothing of the book is trusted.
function isOfTheWhole({ reason }: AppError): boolean {
  return reason === "LIMIT_EXCEEDED" || reason === "MEMORY_EXCEEDED" || reason === "MARKUP_REFUSED";
}

function isPage({ mediaType, path }: SpineItem): boolean {
  return /html|dtbook|oeb/.test(mediaType) || /\.x?html?$/i.test(path) || mediaType === "";
}

function unreadableItem({ path, mediaType }: SpineItem, context: ReadContext): Block[] {
  if (mediaType.startsWith("image/")) return [{ type: "image", alt: "", reference: path }];
  context.warn(`The chapter ${path} was not read: UNSUPPORTED_FILE_TYPE. It is of type ${mediaType}.`);
  return [];
}

function warnOfContents({ spine, unlistedPaths }: PackageDocument, context: ReadContext): void {
  if (spine.length === 0) context.warn("The book lists no chapters.");
  if (unlistedPaths.length > 0) {
    const names = unlistedPaths.slice(0, 5).join(", ").slice(0, 500);
    context.warn(`Pages outside of the book's reading order were left out (${unlistedPaths.length}): ${names}.`);
  }
}
