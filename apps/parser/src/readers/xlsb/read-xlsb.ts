import { openZip } from "../../containers/zip.ts";
import { bookToDocument } from "../../spreadsheet/binary/book-to-document.ts";
import type { ReadDocument } from "../reader.ts";

/** Reads a binary workbook. All its parts are expanded once within the budget before the library may see them. */
export const readXlsb: ReadDocument = (input, context) => {
  const archive = openZip(input.bytes, context.budget);
  for (const { name, isDirectory } of archive.entries.values()) {
    if (!isDirectory && name.toLowerCase().endsWith(".bin")) archive.read(name);
  }
  return bookToDocument(input.bytes, { ...context, warn: (sentence) => context.warn(sentence) });
};
