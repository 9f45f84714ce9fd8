import type { Metadata } from "../../../document/document.ts";
import { parsePdfDate } from "../pdf-date.ts";
import type { OpenDocument } from "./open-document.ts";

/** What the information dictionary and the catalog say of the document. */
export function readMetadata({ pdfium, pointer, pageCount }: OpenDocument): Metadata {
  const { raw } = pdfium;
  const title = entry("Title");
  const author = entry("Author");
  const subject = entry("Subject");
  const keywords = entry("Keywords")
    ?.split(/[;,]/)
    .map((keyword) => keyword.trim())
    .filter(Boolean);
  const language = pdfium.utf16((buffer, size) => raw._FPDFCatalog_GetLanguage(pointer, buffer, size)).trim();
  const createdAt = parsePdfDate(entry("CreationDate") ?? "");
  const modifiedAt = parsePdfDate(entry("ModDate") ?? "");
  return {
    pageCount,
    ...(title !== undefined && { title }),
    ...(author !== undefined && { authors: author.split(/\s*;\s*/).filter(Boolean) }),
    ...(subject !== undefined && { subject }),
    ...(keywords !== undefined && keywords.length > 0 && { keywords }),
    ...(/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(language) && { language }),
    ...(createdAt !== undefined && { createdAt }),
    ...(modifiedAt !== undefined && { modifiedAt }),
  };

  function entry(name: string): string | undefined {
    const tag = pdfium.allocate(Buffer.from(`${name}\0`));
    const value = pdfium.utf16((buffer, size) => raw._FPDF_GetMetaText(pointer, tag, buffer, size)).trim();
    pdfium.release(tag);
    return value === "" ? undefined : value;
  }
}
